"""Telling which memories are about to be forgotten. Nothing is deleted by that."""

from __future__ import annotations

from heapq import nsmallest

from crewmem import times
from crewmem.memories import fading_store
from crewmem.memories.retention import color, retention
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.fading_store import Faint
    from crewmem.memories.store import Filter, Memories

AHEAD = 30
"""How far the report looks ahead, in days."""

MOST_IMPORTANT = 5

DAY = 86_400


class Fading(NamedTuple):
    """How something that is remembered fades.

    Attributes:
        ref: What `get` takes.
        store: ``memories``, or ``journal`` for an episode.
        summary: What it says.
        age_days: Days since it was written; of an episode, since it could be recalled.
        references: How often it was delivered into a prompt.
        retention: The share that its age has left of it, in [0, 1].
        importance: As it is now, in [0, 1].
        importance_ahead: As it will be in 30 days if nobody asks for it.
        color: Of the retention: green above 0.7, yellow above 0.3, else red.
    """

    ref: str
    store: str
    summary: str
    age_days: float
    references: int
    retention: float
    importance: float
    importance_ahead: float
    color: str


def fading(memories: Memories, wanted: Filter, limit: int) -> list[Fading]:
    """Return those of *wanted* of which least is left, faintest first."""
    every = fading_store.every(memories.db, wanted)
    now = wanted.now
    faintest = nsmallest(limit, every, key=lambda each: (_weight(each, now), each.seq))
    found = memories.by_seq([each.seq for each in faintest])
    return [
        _told(each, found[each.seq].id, found[each.seq].title, now)
        for each in faintest
        if each.seq in found
    ]


def _told(each: Faint, ref: str, title: str, now: datetime) -> Fading:
    left = _left(each, now)
    age = max(0.0, (now - times.from_text(each.created_at)).total_seconds() / DAY)
    return Fading(
        ref=ref,
        store="memories",
        summary=title,
        age_days=round(age, 2),
        references=each.references,
        retention=round(left, 4),
        importance=round(_weight(each, now), 4),
        importance_ahead=round(_weight(each, now, AHEAD), 4),
        color=color(left),
    )


def _weight(each: Faint, now: datetime, ahead: int = 0) -> float:
    return each.importance / MOST_IMPORTANT * _left(each, now, ahead)


def _left(each: Faint, now: datetime, ahead: int = 0) -> float:
    since = max(each.created_at, each.delivered_at or each.created_at)
    days = max(0.0, (now - times.from_text(since)).total_seconds() / DAY)
    return retention(each.kind, days + ahead, each.references)
