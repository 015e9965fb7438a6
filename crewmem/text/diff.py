"""Differences of two texts."""

from difflib import unified_diff


def diff_texts(a: str, b: str, name_a: str, name_b: str) -> list[str]:
    """Return the lines of a unified diff, without line ends."""
    return list(unified_diff(a.splitlines(), b.splitlines(), name_a, name_b, lineterm=""))
