"""Memory laid before a model: blocks within a budget, and what is known of a person."""
