"""Hooks of agent programs: wiring them, and answering what they call."""
