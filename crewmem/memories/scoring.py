"""The score of a memory that was found. Pure.

What it says decides; how much it matters, is trusted and is left of it moves it by a
tenth at most, and never over the gate.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval import bm25
from crewmem.retrieval.gate import relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.held import Held
    from crewmem.retrieval.terms import Term

SMOOTHING = 20
"""Words added to every length, and to the mean, before bm25 compares them."""

SPREAD = 0.2
"""How much the best prior outweighs the worst: it decides between equals."""

WEIGHTS = (0.4, 0.4, 0.2)
"""Of importance, trust and retention in the prior. Nothing was measured here: users of
older systems expect all three to count, and the spread is small."""

SIMILARITY, PRIORITY, CONFIDENCE, RECENCY = 0.6, 0.2, 0.1, 0.1
"""Engram's composite."""

LEVELS = 5
"""Of importance."""


class Question(NamedTuple):
    """What is known of a question.

    Attributes:
        terms: Its phrases.
        idfs: The weight of each.
        mean: Words of the mean memory.
    """

    terms: Sequence[Term]
    idfs: Sequence[float]
    mean: float


class Scored(NamedTuple):
    """How a memory answers.

    Attributes:
        score: Higher is better.
        relevance: How likely it answers, in [0, 1].
        words: bm25 as a part of what it could be at most, in [0, 1].
        coverage: The part of the question's weight that it holds, in [0, 1].
        prior: What the rest multiplies that by.
        engram: Engram's composite.
    """

    score: float
    relevance: float
    words: float
    coverage: float
    prior: float
    engram: float


def scored(
    question: Question, frequencies: Sequence[float], length: int, held: Held
) -> Scored:
    """Score a memory of *length* words that holds each phrase so often."""
    whole = sum(question.idfs)
    found = bm25.score(
        frequencies, question.idfs, length + SMOOTHING, question.mean + SMOOTHING
    )
    words = found / (whole * (bm25.K1 + 1.0)) if whole else 0.0
    coverage = covered(question, frequencies)
    factor = prior(held)
    likely = relevance(coverage, None)
    return Scored(
        score=words * factor,
        relevance=likely,
        words=words,
        coverage=coverage,
        prior=factor,
        engram=engram(coverage, held),
    )


def covered(question: Question, frequencies: Sequence[float]) -> float:
    """Return the part of a question's weight that is held, in [0, 1].

    A word that is asked for in several forms weighs what the commonest does.
    """
    shares: dict[str, float] = {}
    held: set[str] = set()
    for term, idf, often in zip(
        question.terms, question.idfs, frequencies, strict=True
    ):
        shares[term.text] = min(idf, shares.get(term.text, idf))
        if often:
            held.add(term.text)
    whole = sum(shares.values())
    found = sum(share for text, share in shares.items() if text in held)
    return found / whole if whole else 0.0


def prior(held: Held) -> float:
    """Return what importance, trust and retention multiply a score by."""
    facts = (
        (held.memory.importance - 1) / (LEVELS - 1),
        held.trust.confidence,
        held.retention,
    )
    told = sum(weight * fact for weight, fact in zip(WEIGHTS, facts, strict=True))
    return 1.0 + SPREAD * (told - 0.5)


def engram(similarity: float, held: Held) -> float:
    """Return Engram's composite, in [0, 1]."""
    return (
        SIMILARITY * similarity
        + PRIORITY * held.memory.importance / LEVELS
        + CONFIDENCE * held.trust.confidence
        + RECENCY * held.retention
    )
