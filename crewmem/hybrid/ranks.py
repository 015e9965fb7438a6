"""Reciprocal rank fusion, the published way of merging ranked lists. Pure.

It is offered beside the score of recall, not in its place: with lists of unlike worth
it is below the better one (see `scoring`).
"""

from __future__ import annotations

from crewmem.typed import TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Key = TypeVar("Key")

RRF_K = 60
"""Damping of the first ranks (Cormack, Clarke and Buettcher, 2009)."""


def reciprocal_ranks(rankings: Iterable[Sequence[Key]]) -> list[tuple[Key, float]]:
    """Return the keys of *rankings*, each best first, with their scores, best first.

    A key scores ``sum(1 / (RRF_K + rank))`` over the lists that hold it, rank counted
    from 1. Ties keep the order in which keys were first met.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda each: -each[1])
