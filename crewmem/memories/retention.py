"""How much of a memory is left: Engram's forgetting curve. Pure.

Nothing is deleted by forgetting: what is forgotten ranks lower.
"""

from __future__ import annotations

from math import exp

RATE = 0.03
"""How fast a memory is forgotten, a day: half of it in 23.1 days."""

RATES = {
    "preference": 0.01,
    "correction": 0.01,
    "decision": 0.015,
    "lesson": 0.015,
    "workflow": 0.015,
    "error": 0.06,
    "context": 0.06,
}
"""The same, of kinds that are forgotten more slowly or faster."""

HELD = 0.1
"""How much a delivery into a prompt slows it down."""

GREEN, YELLOW = 0.7, 0.3
"""Above the first a memory is fresh, above the second it fades."""


def retention(kind: str, days: float, references: int) -> float:
    """Return how much is left of a memory, in [0, 1].

    Args:
        kind: Of the memory.
        days: Since it was written or last delivered, the later; below 0 is 0.
        references: How often it was delivered into a prompt.
    """
    rate = RATES.get(kind, RATE)
    return exp(-rate * max(0.0, days) / (1.0 + HELD * references))


def color(left: float) -> str:
    """Return green, yellow or red for how much is *left*."""
    return "green" if left > GREEN else "yellow" if left > YELLOW else "red"
