"""Linking new episodes to the earlier ones that are most like them."""

from __future__ import annotations

from crewmem import times
from crewmem.episodes.relation import LEAST_SIMILAR, MOST_SIMILAR, Edge, Kind
from crewmem.episodes.spaces import links_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.episodes.stores import Stores
    from crewmem.vectors.space import Space

LINKED_AT_ONCE = 5_000
"""Episodes whose neighbours are looked for together, between two commits."""


def link_similar(
    stores: Stores, space: Space, now: datetime, also: Sequence[int] = ()
) -> int:
    """Link what was embedded since the last time; return how many edges are new.

    Edges are looked for behind a mark of their own, which moves when they are kept:
    interrupted in between they are found once more, and are the same.

    Args:
        also: Keys that were embedded just now, on whichever side of the mark.
    """
    links, vectors = links_of(space), stores.vectors
    linked, end = vectors.mark(links), vectors.mark(space)
    beside = [key for key in also if not linked < key <= end]
    if linked >= end and not beside:
        return 0
    keys = vectors.keys(space)
    total = 0
    if beside:
        total = _linked(stores, space, beside, times.to_text(now))
        vectors.forget(space, vectors.has(space, beside))
    new = keys[(keys > linked) & (keys <= end)].tolist()
    for at in range(0, len(new), LINKED_AT_ONCE):
        some = new[at : at + LINKED_AT_ONCE]
        total += _linked(stores, space, some, times.to_text(now))
        vectors.set_mark(links, some[-1])
    if linked < end:
        vectors.set_mark(links, end)
    return total


def _linked(stores: Stores, space: Space, new: Sequence[int], at: str) -> int:
    near = stores.vectors.neighbours(space, new, least=LEAST_SIMILAR, top=MOST_SIMILAR)
    edges = zip(
        near.keys.tolist(), near.others.tolist(), near.cosines.tolist(), strict=True
    )
    return stores.relations.add(
        (Edge(src, dst, Kind.SIMILAR, round(like, 6)) for src, dst, like in edges), at
    )
