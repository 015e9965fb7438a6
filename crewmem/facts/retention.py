"""How much of a fact is remembered, and the uses that slow forgetting.

Forgetting deletes nothing; forgotten facts rank lower. A use is a recall that showed the fact as
sure, a vote, or `fact show`. Uses are local to a host and stored apart from the facts, so that
reading never changes a fact.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from heapq import nsmallest
from math import exp
from typing import NamedTuple

from crewmem.context import Context
from crewmem.documents import FadingItem, retention_color
from crewmem.facts.fact import BASE_QUALITY, Fact
from crewmem.facts.filters import fact_filter
from crewmem.storage.sqlite import COUNT_WAIT_MS, write_unless_busy
from crewmem.times import parse_time

RATE = 0.03
"""Rate of forgetting per day; half of a fact is forgotten in 23.1 days (Engram)."""

RATES = {
    "preference": 0.01,
    "correction": 0.01,
    "decision": 0.015,
    "lesson": 0.015,
    "workflow": 0.015,
    "error": 0.06,
    "context": 0.06,
}
"""Rates of kinds that are forgotten more slowly or faster."""

REINFORCEMENT = 0.1
"""How much each use slows forgetting."""

PRIOR_WEIGHTS = (0.4, 0.4, 0.2)
"""Weights of importance, effective confidence and retention in the prior."""

PRIOR_SPAN = 0.1
"""Maximum difference between the priors of two facts: it breaks ties, but lifts no fact over a
threshold."""


def retention(kind: str, days: float, references: int) -> float:
    """Return how much of a fact is remembered, in [0, 1].

    Args:
        kind: Kind of the fact.
        days: Days since its creation or last use, whichever is later; negative counts as 0.
        references: Number of uses.
    """
    rate = RATES.get(kind, RATE)
    return exp(-rate * max(0.0, days) / (1.0 + REINFORCEMENT * max(0, references)))


def days_between(earlier: datetime, later: datetime) -> float:
    """Return the days from one moment to another."""
    return (later - earlier).total_seconds() / 86_400


def days_unused(created_at: str, last_used_at: str | None, now: datetime) -> float:
    """Return the days since the last use or the creation of a fact, whichever is later."""
    return days_between(parse_time(max(created_at, last_used_at or "")), now)


def find_prior(importance: int, confidence: float, left: float) -> float:
    """Return the prior of a fact for ranking, within half of PRIOR_SPAN around 0.

    Args:
        importance: 1 to 5.
        confidence: Including votes.
        left: Retention.
    """
    values = ((importance - 1) / 4, confidence, left)
    weight = sum(share * value for share, value in zip(PRIOR_WEIGHTS, values, strict=True))
    return PRIOR_SPAN * (weight - 0.5)


def fact_quality(fact: Fact, last_used_at: str, now: datetime) -> float:
    """Return the quality of a shared fact, in [0, 1]; *last_used_at* is "" if never used.

    It starts at its base, rises with up votes, and falls with down votes and time.
    """
    value = BASE_QUALITY if fact.base_quality is None else fact.base_quality
    value += 0.10 * fact.up - 0.15 * fact.down
    value -= 0.005 * max(0.0, days_unused(fact.created_at, last_used_at, now))
    value -= 0.002 * max(0.0, days_between(parse_time(fact.created_at), now))
    return round(min(1.0, max(0.0, value)), 6)


class Use(NamedTuple):
    """The uses of a fact.

    Attributes:
        accessed: Number of `fact show` and votes.
        injected: Number of recalls.
        last_used_at: "" for never.
    """

    accessed: int = 0
    injected: int = 0
    last_used_at: str = ""

    @property
    def references(self) -> int:
        """All uses."""
        return self.accessed + self.injected


def count_use(context: Context, fact_ids: Collection[str], *, injected: bool = True) -> None:
    """Count a use of facts. If the database is busy, it is not counted: no answer waits for it.

    Args:
        context: The context. A read-only home counts nothing.
        fact_ids: The facts.
        injected: Whether a recall showed them; else somebody looked at them.
    """
    if context.read_only or not fact_ids:
        return
    column = "injected" if injected else "accessed"
    statement = (
        f"insert into fact_accesses (fact_id, {column}, last_used_at) values (?, 1, ?)"
        f" on conflict do update set {column} = {column} + 1,"
        " last_used_at = max(last_used_at, excluded.last_used_at)"
    )
    rows = [(fact_id, context.now_text) for fact_id in dict.fromkeys(fact_ids)]
    write_unless_busy(context.db, (statement, rows), wait_ms=COUNT_WAIT_MS)


def get_uses(context: Context, fact_ids: Collection[str]) -> dict[str, Use]:
    """Return the uses of facts; unused facts are left out."""
    rows = context.db.execute(
        "select fact_id, accessed, injected, last_used_at from fact_accesses"
        " where fact_id in (select value from json_each(?))",
        (fact_ids,),
    )
    return {row[0]: Use(*row[1:]) for row in rows}


def list_fading(context: Context, *, limit: int = 20) -> list[FadingItem]:
    """Return the least remembered facts in scope, the least first."""
    condition = fact_filter(context)
    rows = context.db.execute(
        "select facts.id, facts.title, facts.kind,"
        " coalesce(accesses.accessed + accesses.injected, 0),"
        " julianday(:now) - julianday(facts.created_at), julianday(:now)"
        "  - julianday(max(facts.created_at, coalesce(accesses.last_used_at, '')))"
        " from facts left join fact_accesses accesses"
        f" on accesses.fact_id = facts.id where {condition.sql} and facts.pin = 'none'"
        " and facts.status in ('active', 'stale')",
        condition.params,
    )
    found = nsmallest(limit, ((retention(row[2], row[5], row[3]), *row) for row in rows))
    return [
        FadingItem(
            store="facts",
            id=fact_id,
            title=title,
            kind=kind,
            age_days=round(age, 1),
            uses=uses,
            retention=round(left, 4),
            in_30_days=round(retention(kind, idle + 30, uses), 4),
            color=retention_color(left),
        )
        for left, fact_id, title, kind, uses, age, idle in found
    ]
