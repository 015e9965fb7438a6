"""The commands on what waits for a person."""
