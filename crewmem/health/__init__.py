"""Health, status and doctor: how good the stored memory is, and whether everything works."""

GREEN, YELLOW = 75.0, 50.0
"""Minimum scores of the levels green and yellow."""


def get_level(score: float | None) -> str:
    """Return ``green``, ``yellow`` or ``red``; ``n/a`` without a score."""
    if score is None:
        return "n/a"
    return "green" if score >= GREEN else "yellow" if score >= YELLOW else "red"
