"""Changes that wait for a person, from any source: one queue."""
