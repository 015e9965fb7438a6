"""Commands that tune recall."""
