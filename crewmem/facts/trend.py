"""The trend of quality: the mean of shared facts on each of the last days."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from crewmem.facts.details import FactDetail, describe_facts
from crewmem.facts.fact import LIVE
from crewmem.facts.retention import fact_quality
from crewmem.facts.table import FactTable
from crewmem.times import day_start, format_time

MAX_TRACED = 4_000
"""Maximum number of shared facts that are traced, the newest."""


class QualityDay(NamedTuple):
    """Shared facts at the end of a day.

    Attributes:
        facts: Number of facts that held.
        quality: Their mean quality, in [0, 1]; None without facts.
    """

    day: str
    facts: int
    quality: float | None


def trace_quality(table: FactTable, span: timedelta, crew: str | None = None) -> list[QualityDay]:
    """Return the quality of shared facts that the actor may read on each day, earliest first.

    Only the last use of a fact has a time. Before it, the fact counts as used when it was
    recorded or voted on.

    Args:
        table: The facts.
        span: How far back.
        crew: Only facts of this crew.
    """
    context = table.context
    access = context.access.facts()
    facts = table.select(
        "facts.scope in ('crew', 'workspace') and (:crew is null or facts.crew_id = :crew)"
        f" and facts.content_hash <> '' and {access.sql}",
        {"crew": crew, "limit": MAX_TRACED, **access.params},
        tail="order by facts.created_at desc, facts.id desc limit :limit",
    )
    details = describe_facts(table, facts)
    today = context.today
    trend = []
    for back in range(span.days, -1, -1):
        day = today - timedelta(days=back)
        end = min(context.now, day_start(day + timedelta(days=1), context.zone))
        values = [value for each in details if (value := _quality_at(each, end)) is not None]
        mean = round(sum(values) / len(values), 4) if values else None
        trend.append(QualityDay(day.isoformat(), len(values), mean))
    return trend


def _quality_at(detail: FactDetail, moment: datetime) -> float | None:
    """Return the quality of a fact at a time; None if it did not hold then."""
    fact, at = detail.fact, format_time(moment)
    later = [each for each in detail.revisions if each.changed_at > at]
    status = later[0].status if later else fact.status
    if fact.created_at > at or status not in LIVE or fact.is_expired(at):
        return None
    votes = [each for each in detail.votes if each.voted_at <= at]
    used = [each.voted_at for each in votes]
    if detail.uses and detail.uses.last_used_at <= at:
        used.append(detail.uses.last_used_at)
    up = sum(each.vote > 0 for each in votes)
    fact = fact._replace(up=up, down=len(votes) - up)
    return fact_quality(fact, max(used, default=""), moment)
