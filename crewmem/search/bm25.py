"""bm25 from counts, so that scores of several indexes can be compared.

SQLite's own bm25 counts within one index; here counts are summed over all that are searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

K1 = 1.2
"""Saturation of repeated words, as FTS5 has it (Robertson and Zaragoza, 2009)."""

B = 0.75
"""Weight of a text's length against the mean, as FTS5 has it."""

LEAST_IDF = 1e-6
"""What a word in more than half of all texts still counts, as in FTS5."""

IMAGINED = 100
"""Texts without any word of the query that are added to the count. In a store of one text every
word would weigh nothing without them."""


def idf(holding: float, total: int) -> float:
    """Return the weight of a word that *holding* of *total* texts hold."""
    total += IMAGINED
    return max(log((max(total - holding, 0.0) + 0.5) / (holding + 0.5)), LEAST_IDF)


def score(
    frequencies: Sequence[float], weights: Sequence[float], length: float, mean: float
) -> float:
    """Return the bm25 of one text: higher is better, unbounded, 0 for no match.

    Args:
        frequencies: How often each term occurs.
        weights: The weight of each term.
        length: Of the text, in words.
        mean: That of the mean text.
    """
    damping = K1 * (1 - B + B * length / mean) if mean else K1
    total = 0.0
    for often, weight in zip(frequencies, weights, strict=True):
        if often:
            total += weight * often * (K1 + 1) / (often + damping)
    return total
