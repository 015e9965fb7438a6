"""What a memory directory has to be embedded, found by reading a few numbers."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.store import MemoryIndex
    from crewmem.vectors.space import Kept


class Backlog(NamedTuple):
    """What waits in one index.

    Attributes:
        chunks: How many chunks, at least one where there is anything to do.
        model: The model of the vectors that there are; None if there are none.
    """

    chunks: int = 0
    model: str | None = None


def backlog(index: MemoryIndex, model: str | None, now_ms: int) -> Backlog:
    """Return how many chunks of *index* are to be embedded; nothing is written.

    Args:
        index: The index, as its files are.
        model: What would embed them; those of another are to be embedded again. None:
            whatever there is already.
        now_ms: When, in milliseconds since 1970.
    """
    vectors = index.vectors
    lacking = vectors.count_lacking()
    if not vectors.has_any:
        return Backlog(lacking)
    kept = vectors.store.spaces()
    most = max(kept, key=_vectors, default=None)
    stored = most.space.model if most and most.vectors else None
    if model and any(each.space.model != model for each in kept):
        return Backlog(len(vectors.keys()) + lacking, stored)
    failures = (f for each in kept for f in vectors.store.failures(each.space))
    due = sum(each.is_due(now_ms) for each in failures)
    return Backlog(lacking + due or int(vectors.is_torn), stored)


def _vectors(kept: Kept) -> int:
    return kept.vectors
