"""Uses of facts, which slow forgetting, and `decay`.

A use is a recall that showed the fact as sure, a vote, or `fact show`. Counts are local to a host
and stored apart from the facts, so that reading never changes a fact.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from crewmem.context import Context
from crewmem.documents import Fading, color_of
from crewmem.facts.filters import fact_filter
from crewmem.facts.retention import days_between, days_unused, retention
from crewmem.storage.sqlite import transaction
from crewmem.times import format_time, parse_time


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


def count_use(
    context: Context,
    fact_ids: Collection[str],
    *,
    when: datetime | None = None,
    injected: bool = True,
) -> None:
    """Count a use of facts.

    Args:
        context: The context. A read-only home counts nothing.
        fact_ids: The facts.
        when: By default now.
        injected: Whether a recall showed them; else somebody looked at them.
    """
    if context.read_only or not fact_ids:
        return
    column = "injected" if injected else "accessed"
    at = format_time(when or context.now)
    with transaction(context.db, local=True):
        context.db.executemany(
            f"insert into fact_accesses (fact_id, {column}, last_used_at) values (?, 1, ?)"
            f" on conflict do update set {column} = {column} + 1,"
            " last_used_at = max(last_used_at, excluded.last_used_at)",
            [(fact_id, at) for fact_id in dict.fromkeys(fact_ids)],
        )


def get_uses(context: Context, fact_ids: Collection[str]) -> dict[str, Use]:
    """Return the uses of facts; unused facts are left out."""
    rows = context.db.execute(
        "select fact_id, accessed, injected, last_used_at from fact_accesses"
        " where fact_id in (select value from json_each(?))",
        (json.dumps(list(fact_ids)),),
    )
    return {row[0]: Use(*row[1:]) for row in rows}


def list_fading(context: Context, *, limit: int = 20) -> list[Fading]:
    """Return the least remembered facts in scope, the least first."""
    condition = fact_filter(context)
    rows = context.db.all(
        "select facts.id, facts.title, facts.kind, facts.created_at,"
        " coalesce(accesses.accessed + accesses.injected, 0), accesses.last_used_at"
        " from facts left join fact_accesses accesses"
        f" on accesses.fact_id = facts.id where {condition.sql} and facts.pin = 'none'"
        " and facts.status in ('active', 'stale')",
        condition.params,
    )
    now = context.now
    found = []
    for fact_id, title, kind, created_at, uses, last_used in rows:
        idle = days_unused(created_at, last_used, now)
        found.append((retention(kind, idle, uses), fact_id, title, kind, created_at, uses, idle))
    found.sort()
    return [
        Fading(
            store="facts",
            id=fact_id,
            title=title,
            kind=kind,
            age_days=round(days_between(parse_time(created_at), now), 1),
            uses=uses,
            retention=round(left, 4),
            in_30_days=round(retention(kind, idle + 30, uses), 4),
            color=color_of(left),
        )
        for left, fact_id, title, kind, created_at, uses, idle in found[:limit]
    ]
