"""Coverage: is what should be indexed, indexed? Pure."""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.metric import Input, Mend, share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts

NAME = "coverage"
WEIGHT = 0.25
QUESTION = "is what should be indexed, indexed?"
MOVES = ""


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is."""
    if _wanted(counts):
        return ""
    return "there is nothing to index: no entry worth recalling, no memory file"


def score(counts: Counts) -> float:
    """Return the share of entries and pieces of memory files that are indexed."""
    return share(counts.indexed + counts.indexed_chunks, _wanted(counts))


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    how = f"by vectors of {counts.model}" if counts.model else "by words"
    entries = counts.episodes + counts.lacking
    yield Input("entries", entries, "entries worth recalling")
    yield Input("indexed_entries", counts.indexed, f"of them are found {how}")
    yield Input(
        "lacking_entries", counts.lacking, "of them should be episodes, and are none"
    )
    yield Input("chunks", counts.chunks, "pieces of memory files")
    yield Input("indexed_chunks", counts.indexed_chunks, f"of them are found {how}")
    if counts.model:
        stuck = counts.stuck + counts.stuck_chunks
        yield Input("stuck", stuck, "of all could not be embedded, though often tried")
        yield Input("other_vectors", counts.others, "vectors of other models")


def mends(counts: Counts) -> Iterator[Mend]:
    """Yield what would index more; of what was often tried nobody knows."""
    waiting = counts.episodes - counts.indexed - counts.stuck
    chunks = counts.chunks - counts.indexed_chunks - counts.stuck_chunks
    if counts.lacking:
        yield Mend(
            ("doctor", "--fix", "--only", "episodes.rows"),
            f"{counted(counts.lacking, 'entry', 'entries')} worth recalling, "
            "and no episodes",
            {"indexed": counts.indexed + counts.lacking},
        )
    if counts.model:
        yield from _by_vectors(counts, max(0, waiting), max(0, chunks))
        return
    if chunks > 0:
        yield Mend(
            ("memory", "reindex"),
            f"{counted(chunks, 'piece')} of memory files in no index",
            {"indexed_chunks": counts.chunks, "waiting_chunks": 0},
        )
    if waiting > 0:
        yield Mend(
            ("doctor", "--fix", "--only", "journal.text"),
            f"{counted(waiting, 'entry', 'entries')} in no full text",
            {"indexed": counts.episodes},
        )


def _by_vectors(counts: Counts, waiting: int, chunks: int) -> Iterator[Mend]:
    if not waiting + chunks:
        return
    changes = {
        "indexed": counts.indexed + waiting,
        "indexed_chunks": counts.indexed_chunks + chunks,
        "waiting_chunks": 0,
    }
    told = [
        counted(waiting, "entry", "entries") if waiting else "",
        f"{counted(chunks, 'piece')} of memory files" if chunks else "",
    ]
    what = " and ".join(filter(None, told))
    if counts.others and waiting:
        why = f"{what} without a vector of {counts.model}"
        yield Mend(("episodes", "reembed"), why, changes)
    else:
        why = f"{what} to be embedded"
        yield Mend(("episodes", "sweep", "--all"), why, changes)


def _wanted(counts: Counts) -> int:
    return counts.episodes + counts.lacking + counts.chunks
