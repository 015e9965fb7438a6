"""The score of words, from counts. Pure.

SQLite's bm25 counts within one index. Scores of several indexes can be compared
only when the counts are summed over all of them, so the formula stands here as well.
"""

from __future__ import annotations

from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

K1 = 1.2
"""Saturation of repeated words, as FTS5 has it (Robertson and Zaragoza, 2009)."""

B = 0.75
"""Weight of a chunk's length against the mean, as FTS5 has it."""

LEAST_IDF = 1e-6
"""What a word in more than half of all chunks still counts, as in FTS5."""

IMAGINED = 100
"""Texts without a word of any question, added where weights tell how much of a
question is held: in a store of one text every word of it would weigh nothing."""


def idf(holding: int, total: int) -> float:
    """Return the weight of a phrase that *holding* of *total* chunks hold."""
    return max(log((total - holding + 0.5) / (holding + 0.5)), LEAST_IDF)


def score(
    frequencies: Sequence[float],
    idfs: Sequence[float],
    length: float,
    mean: float,
) -> float:
    """Return the bm25 of one text: higher is better, unbounded, 0 for no match.

    Args:
        frequencies: How often each phrase stands in it, weighted by column.
        idfs: The weight of each phrase.
        length: Its own, in whatever unit.
        mean: That of the mean text, in the same unit.
    """
    damping = K1 * (1 - B + B * length / mean) if mean else K1
    found = 0.0
    for often, weight in zip(frequencies, idfs, strict=True):
        if often:
            found += weight * often * (K1 + 1) / (often + damping)
    return found
