"""Memories as the system looks at them, for all: it knows no scope but a workspace."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained
from crewmem.db.where import Where
from crewmem.memories.lifecycle import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Memories

VOTED_FOR = """
    (confidence >= ? or exists (select 1 from memory_votes
                                 where memory = seq and is_up = 1))
"""
"""Whether a memory may be trusted so far, votes counted."""


PAGE = 500
"""Memories that are read at once where all are looked at."""


def pages(
    memories: Memories, workspace: str, seqs: array[int]
) -> Iterator[list[Memory]]:
    """Yield the memories at *seqs*, a page at a time, those that are live by then.

    However many there are, few are in memory at once.
    """
    for at in range(0, len(seqs), PAGE):
        yield memories.among(workspace, seqs[at : at + PAGE])


def shared(memories: Memories, workspace: str) -> array[int]:
    """Return the places of what is shared, oldest first."""
    where = _live(workspace)
    where.holds("scope <> 'agent'")
    return _places(memories, where)


def trusted(
    memories: Memories, workspace: str, *, importance: int, confidence: float
) -> array[int]:
    """Return the places of what agents hold that matters so much and may be trusted.

    Oldest first. What is context or restricted is not among it.
    """
    where = _live(workspace)
    where.at_least("importance", importance)
    where.holds("scope = 'agent' and kind <> 'context'")
    where.holds("sensitivity <> 'restricted'")
    where.holds(VOTED_FOR, confidence)
    return _places(memories, where)


def learned_since(memories: Memories, workspace: str, since: datetime) -> list[Memory]:
    """Return what agents hold of what happened since then, oldest first."""
    where = _live(workspace)
    where.holds("scope = 'agent'")
    where.at_least("coalesce(occurred_at, created_at)", times.to_text(since))
    return memories.matching(where)


def shared_of(memories: Memories, workspace: str, kind: str) -> list[Memory]:
    """Return what is shared of *kind*, oldest first."""
    where = _live(workspace)
    where.equal("kind", kind)
    where.holds("scope <> 'agent'")
    return memories.matching(where)


def _places(memories: Memories, where: Where) -> array[int]:
    from array import array

    sql = f"select seq from memories {where} order by seq"
    with explained(memories.db):
        rows = memories.db.execute(sql, tuple(where.values))
        return array("q", (seq for (seq,) in rows))


def _live(workspace: str) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    where.any_of("status", LIVE)
    return where
