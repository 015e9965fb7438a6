"""Wording of what is printed."""

from collections.abc import Mapping

UNCOUNTED = frozenset({"voted-down", "quarantine", "outbox"})
"""Kinds of review items whose names have no plural."""


def count(number: int, singular: str, plural: str = "") -> str:
    """Return ``1 file`` or ``3 files``; *plural* is for nouns that take more than an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def list_counts(counts: Mapping[str, int]) -> str:
    """Return ``2 contradictions, 1 plan`` for how many there are of each kind of review item."""
    return ", ".join(
        count(number, kind, kind if kind in UNCOUNTED else "") for kind, number in counts.items()
    )
