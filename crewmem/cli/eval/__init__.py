"""Commands that measure recall."""
