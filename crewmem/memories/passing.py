"""Letting sweeps go on behind memories that were embedded when they were remembered."""

from __future__ import annotations

from crewmem.memories.embedding_store import milliseconds
from crewmem.memories.spaces import changes_of, key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.embedding_store import Embeddable
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

NEXT = 64
"""Memories that are looked at: more of them are for a sweep."""


def move_mark(
    embeddable: Embeddable,
    vectors: VectorStore,
    space: Space,
    now: datetime,
    *,
    most: int = NEXT,
) -> bool:
    """Move the mark of *space* over what has its vector, if that is what comes next.

    What sweeps have not come by is counted as waiting. A change that is made from *now*
    on is looked at, whether a sweep was ever run or not. Up to *most* memories are
    looked at; returns whether all of them have theirs, and there may be more such.
    """
    with vectors.changing():
        mark = before = vectors.mark(space)
        nearest = embeddable.after(mark, most)
        keys = [key_of(each.seq, each.digest) for each in nearest]
        done = vectors.has(space, keys) if keys else set()
        done |= {each.key for each in vectors.failures(space)}
        for each, key in zip(nearest, keys, strict=True):
            if key not in done:
                break
            mark = each.seq
        if mark == before:
            return False
        if not vectors.mark(changes_of(space)):
            vectors.set_mark(changes_of(space), milliseconds(now) - 1)
        vectors.set_mark(space, mark)
    return len(nearest) == most and mark == nearest[-1].seq
