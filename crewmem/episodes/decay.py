"""Letting episodes fade, and telling which are about to."""

from __future__ import annotations

from crewmem.episodes.importance import DAY_MS, days_between, importance, recency
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from crewmem.episodes.store import Episodes, Weight
    from crewmem.journal.store import Journal

AHEAD_DAYS = 30
"""How far the report looks ahead."""


class Fading(NamedTuple):
    """How one episode fades.

    Attributes:
        ref: What `get` takes.
        store: ``journal``.
        summary: What happened.
        age_days: Days since it first could be recalled.
        references: How often it was delivered into a prompt.
        retention: The share of its importance that its age has left, in [0, 1].
        importance: As it is now, in [0, 1].
        importance_ahead: As it will be in 30 days if nobody asks for it.
    """

    ref: str
    store: str
    summary: str
    age_days: float
    references: int
    retention: float
    importance: float
    importance_ahead: float


class Decayed(NamedTuple):
    """What a decay did.

    Attributes:
        episodes: How many were computed anew.
    """

    episodes: int


def fading(
    episodes: Episodes,
    journal: Journal,
    owners: Collection[int],
    *,
    now: datetime,
    limit: int,
) -> list[Fading]:
    """Return the episodes that weigh least, faintest first."""
    now_ms = int(now.timestamp() * 1000)
    faintest = episodes.faintest(owners, limit, now_ms)
    entries = journal.by_seq(each.seq for each in faintest)
    return [
        _fading(each, entries[each.seq].id, entries[each.seq].summary, now_ms)
        for each in faintest
        if each.seq in entries
    ]


def _fading(each: Weight, ref: str, summary: str, now_ms: int) -> Fading:
    days = days_between(each.indexed_ms, now_ms)
    then = days_between(each.indexed_ms, now_ms + AHEAD_DAYS * DAY_MS)
    return Fading(
        ref=ref,
        store="journal",
        summary=summary,
        age_days=round(days, 2),
        references=each.references,
        retention=round(recency(days), 4),
        importance=round(importance(each.base, each.least, days, each.references), 4),
        importance_ahead=round(
            importance(each.base, each.least, then, each.references), 4
        ),
    )


def decay(
    episodes: Episodes, *, now: datetime, owners: Collection[int] | None = None
) -> Decayed:
    """Compute importance from its base and its age: of all, or what *owners* have."""
    return Decayed(episodes.decay(int(now.timestamp() * 1000), owners))
