"""Memories with what is counted about them: how far they are trusted, and fresh."""

from __future__ import annotations

from crewmem import times
from crewmem.memories import edges_store, revisions_store, votes_store
from crewmem.memories.quality import START, quality
from crewmem.memories.retention import retention
from crewmem.memories.trust import Trust, Vote, counted
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import apsw

    from crewmem.memories.edges_store import Edge
    from crewmem.memories.memory import Memory
    from crewmem.memories.revisions_store import Revision
    from crewmem.memories.view import View

DAY = 86_400


class Held(NamedTuple):
    """A memory, and what is counted about it.

    Attributes:
        memory: The memory.
        trust: How far it is trusted, votes counted.
        retention: How much of it is left, in [0, 1]: what is forgotten ranks lower.
        references: How often it was delivered into a prompt.
        quality: How good it is as shared knowledge, in [0, 1]; null for an agent's.
    """

    memory: Memory
    trust: Trust
    retention: float
    references: int
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
    delivered = votes_store.delivered(db, [each.seq for each in memories])
    found: list[Held] = []
    for each in memories:
        references, last = delivered.get(each.seq, (0, None))
        since = max(each.created_at, times.from_text(last) if last else each.created_at)
        days = (now - since).total_seconds() / DAY
        left = round(retention(each.kind, days, references), 6)
        trust = counted(each.confidence, *votes.get(each.seq, (0, 0)))
        good = None
        if each.scope != "agent":
            age = (now - each.created_at).total_seconds() / DAY
            base = START if each.base_quality is None else each.base_quality
            good = quality(base, trust.up, trust.down, idle_days=days, age_days=age)
        found.append(Held(each, trust, left, references, good))
    return found


def history(db: apsw.Connection, memory: Memory, view: View) -> History:
    """Return what became of *memory*, as far as it is within *view*."""
    return History(
        memory,
        revisions_store.of(db, memory),
        votes_store.of(db, memory.seq),
        edges_store.of(db, memory.seq, view),
    )
