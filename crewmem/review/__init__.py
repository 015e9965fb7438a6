"""The review queue: items that wait for a person, and how each kind is decided."""

from crewmem.review.store import KINDS, ReviewItem, ReviewStore

__all__ = ["KINDS", "ReviewItem", "ReviewStore"]
