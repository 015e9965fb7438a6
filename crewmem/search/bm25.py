"""bm25 from counts, so that scores of several indexes are comparable.

SQLite's own bm25 counts within one index; here counts are summed over all searched indexes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

K1 = 1.2
"""Saturation of repeated words, as in FTS5 (Robertson and Zaragoza, 2009)."""

B = 0.75
"""Weight of a text's length relative to the mean, as in FTS5."""

MIN_IDF = 1e-6
"""Minimum weight, for a word in more than half of all texts, as in FTS5."""

IMAGINED = 100
"""Imagined texts without any word of the query that are added to the count. Without them every
word in a store of one text would have no weight."""


def idf(holding: float, total: int) -> float:
    """Return the weight of a word that *holding* of *total* texts contain."""
    total += IMAGINED
    return max(log((max(total - holding, 0.0) + 0.5) / (holding + 0.5)), MIN_IDF)


def score(
    frequencies: Sequence[float], weights: Sequence[float], length: float, mean: float
) -> float:
    """Return the bm25 of one text: higher is better, unbounded, 0 for no match.

    Args:
        frequencies: Occurrences of each term.
        weights: Weight of each term.
        length: Length of the text in words.
        mean: Mean length of all texts in words.
    """
    damping = K1 * (1 - B + B * length / mean) if mean else K1
    total = 0.0
    for often, weight in zip(frequencies, weights, strict=True):
        if often:
            total += weight * often * (K1 + 1) / (often + damping)
    return total
