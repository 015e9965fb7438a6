"""One list of what several stores found. Pure.

A score of one store says nothing in another; how likely a hit answers does, for it is
one number for all of them. The order within a store stays as it is.
"""

from __future__ import annotations

from crewmem.typed import Protocol, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Found(Protocol):
    """What a store found."""

    @property
    def relevance(self) -> float:
        """How likely it answers, in [0, 1]."""


Hit = TypeVar("Hit", bound=Found)


def merged(lists: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """Return the best *limit* of *lists*, each of which is best first.

    Each hit stands for the most relevant of its store from it on: what its store
    ranks above a relevant one is not ranked below it here. Ties are in the order of
    the lists.
    """
    keyed = [
        (-stands_for, store, place, hit)
        for store, hits in enumerate(lists)
        for place, (hit, stands_for) in enumerate(
            zip(hits, _standing([each.relevance for each in hits]), strict=True)
        )
    ]
    keyed.sort(key=lambda each: each[:3])
    return [hit for *_, hit in keyed[:limit]]


def _standing(relevances: Sequence[float]) -> list[float]:
    """Return for each the greatest from it on."""
    found: list[float] = []
    most = 0.0
    for each in reversed(relevances):
        most = max(most, each)
        found.append(most)
    return found[::-1]
