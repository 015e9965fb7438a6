"""Recall by words and vectors: one scoring for whatever store is asked."""
