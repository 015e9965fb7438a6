"""Memories with what is counted about them: how far they are trusted, and fresh."""

from __future__ import annotations

from crewmem import times
from crewmem.memories import accesses_store, edges_store, votes_store
from crewmem.memories.accesses_store import NEVER
from crewmem.memories.quality import START, quality
from crewmem.memories.retention import retention
from crewmem.memories.scoring import weight_of
from crewmem.memories.trust import Trust, Vote, counted
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import apsw

    from crewmem.memories.accesses_store import Accessed
    from crewmem.memories.edges_store import Edge
    from crewmem.memories.memory import Memory
    from crewmem.memories.revisions_store import Revision
    from crewmem.memories.view import View
    from crewmem.memories.weights_store import Weighed

DAY = 86_400


class Held(NamedTuple):
    """A memory, and what is counted about it.

    Attributes:
        memory: The memory.
        trust: How far it is trusted, votes counted.
        retention: How much of it is left, in [0, 1]: what is forgotten ranks lower.
            What was delivered since the last nightly run is not in it yet.
        references: How often it was delivered into a prompt.
        accessed: How often it was read: shown whole, or delivered.
        quality: How good it is as shared knowledge, in [0, 1]; null for an agent's.
    """

    memory: Memory
    trust: Trust
    retention: float
    references: int
    accessed: int
    quality: float | None


class History(NamedTuple):
    """What became of a memory.

    Attributes:
        memory: The memory as it is now.
        revisions: What it said before, oldest first.
        votes: The votes that count, oldest first.
        edges: How it is related to others, oldest first.
    """

    memory: Memory
    revisions: list[Revision]
    votes: list[Vote]
    edges: list[Edge]


def held(db: apsw.Connection, memories: Sequence[Memory], now: datetime) -> list[Held]:
    """Return *memories* with what is counted about them, as of *now*."""
    votes = votes_store.counts(db, [each.seq for each in memories])
    accesses = accesses_store.of(db, [each.seq for each in memories])
    return [
        _held(
            each,
            counted(each.confidence, *votes.get(each.seq, (0, 0))),
            accesses.get(each.seq, NEVER),
            now,
        )
        for each in memories
    ]


def weight_now(each: Weighed, now: datetime) -> float:
    """Return what a memory weighs as of *now*: the same as of what is held."""
    days = _days(each.created_at, each.settled_at, now)
    left = round(retention(each.kind, days, each.settled), 6)
    return weight_of(
        each.importance, counted(each.confidence, each.up, each.down).confidence, left
    )


def _days(created_at: str, last: str | None, now: datetime) -> float:
    since = times.from_text(max(created_at, last or created_at))
    return (now - since).total_seconds() / DAY


def _held(memory: Memory, trust: Trust, accessed: Accessed, now: datetime) -> Held:
    days = _days_since(memory, accessed.settled_at, now)
    left = round(retention(memory.kind, days, accessed.settled), 6)
    good = None if memory.scope == "agent" else quality_of(memory, trust, accessed, now)
    return Held(memory, trust, left, accessed.delivered, accessed.accessed, good)


def quality_of(
    memory: Memory, trust: Trust, accessed: Accessed, now: datetime
) -> float:
    """Return how good *memory* is as shared knowledge, in [0, 1]."""
    return quality(
        START if memory.base_quality is None else memory.base_quality,
        trust.up,
        trust.down,
        idle_days=_days_since(memory, accessed.last, now),
        age_days=_days_since(memory, None, now),
    )


def _days_since(memory: Memory, last: str | None, now: datetime) -> float:
    """Return the days since *last*, or since *memory* was written if that is later."""
    since = max(memory.created_at, times.from_text(last) if last else memory.created_at)
    return (now - since).total_seconds() / DAY


def history(db: apsw.Connection, memory: Memory, view: View) -> History:
    """Return what became of *memory*, as far as it is within *view*."""
    from crewmem.memories import revisions_store

    return History(
        memory,
        revisions_store.of(db, memory),
        votes_store.of(db, memory.seq),
        edges_store.of(db, memory.seq, view),
    )
