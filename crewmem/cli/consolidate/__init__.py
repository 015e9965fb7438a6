"""The commands that make memory of notes and of what happened."""
