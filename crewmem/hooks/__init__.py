"""Hooks of agent programs: install them, and answer them."""
