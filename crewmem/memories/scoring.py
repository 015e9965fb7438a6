"""What a memory weighs beside what it says. Pure.

How well it answers is scored as of an entry of the journal (see `hybrid`). How much it
matters, is trusted and is left of it moves that by a tenth at most, and never over the
gate.
"""

from __future__ import annotations

from crewmem.hybrid.scoring import IMPORTANCE, NEUTRAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.held import Held

WEIGHTS = (0.4, 0.4, 0.2)
"""Of importance, trust and retention in the prior. Nothing was measured here: users of
older systems expect all three to count, and the spread is small."""

SIMILARITY, PRIORITY, CONFIDENCE, RECENCY = 0.6, 0.2, 0.1, 0.1
"""Engram's composite."""

LEVELS = 5
"""Of importance."""


def weight(held: Held) -> float:
    """Return what a memory weighs, in [0, 1]."""
    return weight_of(held.memory.importance, held.trust.confidence, held.retention)


def weight_of(importance: int, confidence: float, left: float) -> float:
    """Return what weighs so much, is trusted so far, and of which so much is left."""
    facts = ((importance - 1) / (LEVELS - 1), confidence, left)
    return sum(share * fact for share, fact in zip(WEIGHTS, facts, strict=True))


def prior(held: Held) -> float:
    """Return what importance, trust and retention multiply a score by."""
    return 1.0 + IMPORTANCE * (weight(held) - NEUTRAL)


def engram(similarity: float, held: Held) -> float:
    """Return Engram's composite, in [0, 1]."""
    return (
        SIMILARITY * similarity
        + PRIORITY * held.memory.importance / LEVELS
        + CONFIDENCE * held.trust.confidence
        + RECENCY * held.retention
    )
