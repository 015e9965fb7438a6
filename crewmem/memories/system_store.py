"""Memories as the system looks at them, for all: it knows no scope but a workspace."""

from __future__ import annotations

from crewmem import times
from crewmem.db.where import Where
from crewmem.memories.lifecycle import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Memories

VOTED_FOR = """
    (confidence >= ? or exists (select 1 from memory_votes
                                 where memory = seq and is_up = 1))
"""
"""Whether a memory may be trusted so far, votes counted."""


def trusted(
    memories: Memories, workspace: str, *, importance: int, confidence: float
) -> list[Memory]:
    """Return what agents hold that matters so much and may be trusted, oldest first.

    What is context or restricted is not among it.
    """
    where = _live(workspace)
    where.at_least("importance", importance)
    where.holds("scope = 'agent' and kind <> 'context'")
    where.holds("sensitivity <> 'restricted'")
    where.holds(VOTED_FOR, confidence)
    return memories.matching(where)


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


def _live(workspace: str) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    where.any_of("status", LIVE)
    return where
