"""Health, status and doctor: how good the stored memory is, and whether everything works."""

GREEN, YELLOW = 75.0, 50.0
"""Lowest scores of green and yellow health."""


def get_level(score: float | None) -> str:
    """Return the colour of a score."""
    if score is None:
        return "n/a"
    return "green" if score >= GREEN else "yellow" if score >= YELLOW else "red"
