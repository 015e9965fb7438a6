"""Aging of facts: which become warm, stale or archived, and when.

Details of an agent age by their date once a summary covers them (job ``rollup``). Shared facts age
by use and votes (job ``nightly``). `retention` computes how much of a fact is remembered, which
affects its rank; the journal's `apply_decay` does so for episodes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from crewmem.facts.fact import Fact
from crewmem.facts.table import FactTable
from crewmem.storage.sqlite import transaction
from crewmem.times import add_span, format_time

WARM, COLD = timedelta(days=7), timedelta(days=30)
"""Ages from which summarised details become warm, and archived."""

AGING_SQL = (
    "(facts.kind in ('context', 'feedback', 'error', 'meeting')"
    " or facts.kind = 'action_item' and facts.state in ('done', 'dropped'))"
)
"""Kinds that age; facts of other kinds stay, whatever their age."""

DATED_SQL = (
    "max(facts.created_at, coalesce(facts.occurred_at, ''), coalesce(facts.verified_at, ''))"
)
"""Time from which a fact ages: when it happened, was recorded or was confirmed: the latest."""

POOR = 0.3
"""Quality below which an unused shared fact becomes stale."""

IDLE, STALE = timedelta(days=30), timedelta(days=60)
"""Time without use before a shared fact becomes stale, and time until a stale one is archived."""

STALE_REASON = f"stale for {STALE.days} days"
"""Reason with which a stale fact is archived."""

FADED = ("aged", "voted down", STALE_REASON)
"""Reasons with which jobs and votes archive a fact."""


class Aged(NamedTuple):
    """A fact that aged: warm or archived."""

    id: str
    title: str
    status: str


def age_facts(table: FactTable) -> list[Aged]:
    """Age details that a written summary covers: warm after 7 days, archived after 30.

    Pinned facts, facts with a topic key and shared facts do not age.
    """
    context = table.context
    now = context.now
    warm, cold = (format_time(add_span(now, -age)) for age in (WARM, COLD))
    facts = table.select(
        f"{AGING_SQL} and facts.scope = 'agent' and facts.pin = 'none' and facts.topic_key is null"
        f" and facts.status in ('active', 'warm') and {DATED_SQL} <= :warm"
        f" and (facts.status = 'active' or {DATED_SQL} <= :cold)"
        " and exists (select 1 from fact_relations r join facts summary on summary.id = r.src_id"
        "  where r.dst_id = facts.id and r.relation = 'derived_from' and summary.kind = 'summary'"
        "  and summary.status = 'active')",
        {"warm": warm, "cold": cold},
        tail="order by facts.created_at, facts.id",
    )
    aged = []
    with transaction(context.db):
        for fact in facts:
            dated = max(fact.created_at, fact.occurred_at or "", fact.verified_at or "")
            is_cold = dated <= cold
            status = "archived" if is_cold else "warm"
            after = table.update(fact, {"status": status}, reason="aged")
            event = "archived" if is_cold else "aged"
            table.record(event, after, payload={"from": fact.status, "reason": "aged"})
            aged.append(Aged(fact.id, fact.title, status))
    return aged


def has_faded(table: FactTable, fact: Fact) -> bool:
    """Return whether aging or votes archived a fact, and nobody decided on it since."""
    if fact.status != "archived":
        return False
    revisions = table.list_revisions([fact.id]).get(fact.id, [])
    return bool(revisions) and revisions[-1].reason in FADED


def age_shared(
    table: FactTable, fact: Fact, *, quality: float, idle_days: float
) -> tuple[str, str] | None:
    """Return the next status of a shared fact and the reason; None if it stays unchanged.

    Pinned facts and summaries of periods do not age.
    """
    if fact.pin != "none" or (fact.topic_key or "").startswith("rollup/"):
        return None
    if fact.status == "active" and quality < POOR and idle_days >= IDLE.days:
        return "stale", f"quality {quality:.2f}, not used for {int(idle_days)} days"
    if fact.status == "stale":
        since = table.context.db.value(
            "select max(at) from (select max(changed_at) as at from fact_revisions"
            " where fact_id = :id union all select max(voted_at) from votes"
            " where fact_id = :id and vote = 1 union all select created_at from facts"
            " where id = :id)",
            {"id": fact.id},
        )
        if since <= format_time(add_span(table.context.now, -STALE)):
            return "archived", STALE_REASON
    return None
