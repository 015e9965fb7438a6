"""Sweeps: vectors and indexes brought in step with what is new."""
