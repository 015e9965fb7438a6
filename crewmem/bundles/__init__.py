"""Memory carried from one place to another, as plain files."""
