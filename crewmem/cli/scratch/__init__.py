"""The commands on the short-lived notes of a session."""
