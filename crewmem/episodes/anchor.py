"""Whether vectors are of the journal that is there, or of one that stood in its place.

Vectors know entries by their places. Where an older copy of the journal is put beside
them, as from a backup, later places are given away once more, and what lies there says
something else. So a sweep keeps the hash of the entry that it came to last: as the mark
of a space without vectors, whose model that hash is.
"""

from __future__ import annotations

from crewmem.episodes.spaces import ENTRIES, LINKS
from crewmem.vectors.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.episodes.store import Episodes
    from crewmem.vectors.space import Kept
    from crewmem.vectors.store import VectorStore

ANCHOR = "anchor"
"""Kind of a space without vectors."""

FOREIGN = "its vectors are of another journal, as if a backup had been put in its place"


def is_foreign(episodes: Episodes, kept: Iterable[Kept], workspace: str) -> bool:
    """Tell whether what is *kept* of *workspace* is of another journal.

    It is where a sweep has come further than the journal goes, or where another entry
    stands at the place that a sweep came to last.
    """
    mine = [each for each in kept if each.space.workspace == workspace]
    anchors = [each for each in mine if each.space.kind == ANCHOR]
    marks = [each.mark for each in mine if each.space.kind == ENTRIES]
    marks += [each.mark for each in anchors]
    if not marks:
        return False
    if max(marks) > episodes.last_place():
        return True
    return any(
        episodes.hash_at(each.mark) not in {None, each.space.model} for each in anchors
    )


def drop_foreign(vectors: VectorStore, workspace: str) -> int:
    """Drop all vectors of *workspace*, and how far sweeps came; return how many."""
    dropped = 0
    with vectors.changing():
        for kept in vectors.spaces():
            space = kept.space
            if space.workspace == workspace and space.kind in {ENTRIES, LINKS, ANCHOR}:
                dropped += kept.vectors
                vectors.drop(space)
    return dropped


def keep_anchor(episodes: Episodes, vectors: VectorStore, space: Space) -> None:
    """Keep what stands where sweeps of *space* came to; nothing if that is kept."""
    mark = vectors.mark(space)
    old = [
        kept
        for kept in vectors.spaces()
        if (kept.space.kind, kept.space.workspace) == (ANCHOR, space.workspace)
    ]
    if any(each.mark == mark for each in old):
        return
    found = episodes.hash_at(mark)
    if found is None:
        return
    with vectors.changing():
        for each in old:
            vectors.drop(each.space)
        vectors.set_mark(Space(ANCHOR, space.workspace, found, 0), mark)
