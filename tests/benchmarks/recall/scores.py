"""How good a ranking is, by what is known to be relevant. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

DEPTH = 10
"""Places of a ranking that count."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Of one ranking, or the means of many; both in [0, 1], higher is better.

    Attributes:
        recall: Share of what is relevant that stands in the first ten.
        ndcg: The same, discounted by the logarithm of the place.
    """

    recall: float
    ndcg: float


def scores(ranking: Sequence[str], relevant: Collection[str]) -> Scores:
    """Score *ranking*, best first; what stands in it twice counts once.

    Args:
        relevant: At least one.
    """
    first = islice(dict.fromkeys(ranking), DEPTH)
    gains = [_gain(at) for at, each in enumerate(first) if each in relevant]
    ideal = sum(map(_gain, range(min(DEPTH, len(relevant)))))
    return Scores(len(gains) / len(relevant), sum(gains) / ideal)


def mean(each: Sequence[Scores]) -> Scores:
    """Return the means of at least one."""
    return Scores(fmean(one.recall for one in each), fmean(one.ndcg for one in each))


def _gain(at: int) -> float:
    return 1 / log2(at + 2)
