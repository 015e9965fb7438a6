"""How likely a store answers a question at all: one number in [0, 1]. Pure.

A score that ranks says which entry is best, not whether any is good: fused ranks tell
questions of another conversation with AUC .78. What does tell them: how much of the
question's weight the best entry holds, and how near the nearest comes.

Measured on the development half of LoCoMo, 760 questions and 1,250 of other
conversations: at 0.70 95 % of recall is kept and 6 % of the foreign questions are
answered (at 0.80, 91 % and 5 %); by words alone 93 % and 9 %. In the same place 99 %
of the questions of Cranfield and 96 % of SciFact's are kept, and under 5 % of those
foreign to them. A false premise about what is known cannot be told apart (AUC .5).
"""

from __future__ import annotations

from math import exp, log

from crewmem.retrieval import bm25

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATING = 0.70
"""The number at the thresholds below, and the default of the gate."""

BACKGROUND = 0.1
"""Cosine of texts that have nothing to do with each other, of all-MiniLM-L6-v2.

Other models have another, some of them .5: the mean cosine over a scan tells.
"""

NEARNESS = 1.5
"""Weight of the cosine above its background, beside coverage."""

BOTH, SLOPE = 0.98, 11.0
"""Coverage and nearness together at the operating point, and the slope there: that of
a logistic regression of own against foreign questions."""

WORDS, WORDS_SLOPE = 0.42, 14.0
"""Coverage at the operating point where there are no vectors."""

VECTORS, VECTORS_SLOPE = 0.35, 14.0
"""Nearness at the operating point where there are no words."""


AT_OPERATING = log(OPERATING / (1.0 - OPERATING))
"""What the logistic is taken of at the operating point."""


def nearness(cosine: float, background: float = BACKGROUND) -> float:
    """Return *cosine* above *background*, as a part of what it could be; at least 0."""
    return max(0.0, cosine - background) / (1.0 - background)


def relevance(coverage: float | None, near: float | None) -> float:
    """Return how likely what has *coverage* and is as *near* answers, in [0, 1].

    Either may be None: there are no words in the question, or no vectors. It grows with
    both. Of a store give the greatest of each, also where they are of two entries.
    """
    if coverage is None:
        told = 0.0 if near is None else near
        return 0.0 if near is None else _likely(told - VECTORS, VECTORS_SLOPE)
    if near is None:
        return _likely(coverage - WORDS, WORDS_SLOPE)
    return _likely(coverage + NEARNESS * near - BOTH, SLOPE)


def weight_of_names(known: int, entries: int) -> float:
    """Return what *known* names weigh: unknown ones are words that no entry holds."""
    return known * bm25.idf(0, entries + bm25.IMAGINED)


def with_names(coverage: float, whole: float, names: float) -> float:
    """Return *coverage* of a question whose words weigh *whole*, with its *names*.

    Names that are known were taken out of it, and are covered.
    """
    return (coverage * whole + names) / (whole + names) if whole + names else 0.0


def of_store(
    coverages: Iterable[float], nearnesses: Iterable[float] | None, *, has_words: bool
) -> float:
    """Return the relevance of the best that a store has; 0 for an empty one."""
    most = max(coverages, default=None)
    if most is None:
        return 0.0
    near = None if nearnesses is None else max(nearnesses, default=None)
    return relevance(most if has_words else None, near)


def _likely(beyond: float, slope: float) -> float:
    """Return the logistic of *beyond* the threshold, which is `OPERATING` at 0."""
    return 1.0 / (1.0 + exp(-slope * beyond - AT_OPERATING))
