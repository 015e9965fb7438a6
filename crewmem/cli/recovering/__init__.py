"""Giving memory back to an agent that has lost its context."""
