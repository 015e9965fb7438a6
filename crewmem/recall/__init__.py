"""Recall: what all stores hold, found together."""
