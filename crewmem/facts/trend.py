"""How the quality of shared facts changed: its mean on each of the last days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from crewmem.facts.details import FactDetail
from crewmem.facts.fact import BASE_QUALITY, LIVE
from crewmem.facts.retention import days_between, quality
from crewmem.times import parse_time


class QualityDay(NamedTuple):
    """Shared facts at the end of a day.

    Attributes:
        facts: How many held.
        quality: Their mean quality, in [0, 1]; None when there were none.
    """

    day: str
    facts: int
    quality: float | None


def trace_quality(
    details: Iterable[FactDetail], ends: Sequence[tuple[date, datetime]]
) -> list[QualityDay]:
    """Return the quality of shared facts on each day.

    Of the uses of a fact only the last one has a time: before it, the fact counts as used when
    it was recorded or voted on.

    Args:
        details: Facts with their history and votes.
        ends: Days, each with the moment at which it ends.
    """
    shared = [detail for detail in details if detail.fact.is_shared]
    trend = []
    for day, end in ends:
        values = [value for each in shared if (value := _quality_at(each, end)) is not None]
        mean = round(sum(values) / len(values), 4) if values else None
        trend.append(QualityDay(day.isoformat(), len(values), mean))
    return trend


def _quality_at(detail: FactDetail, moment: datetime) -> float | None:
    """Return the quality of a fact at a time; None when it did not hold then."""
    fact = detail.fact
    created = parse_time(fact.created_at)
    if created > moment:
        return None
    later = [each for each in detail.revisions if parse_time(each.changed_at) > moment]
    status = min(later, key=lambda each: each.number).status if later else fact.status
    ends = fact.valid_until
    if status not in LIVE or (ends and parse_time(ends) <= moment):
        return None
    votes = [each for each in detail.votes if parse_time(each.voted_at) <= moment]
    used = [created, *(parse_time(each.voted_at) for each in votes)]
    if detail.uses and detail.uses.last_used_at:
        last_used = parse_time(detail.uses.last_used_at)
        used += [last_used] if last_used <= moment else []
    up = sum(each.vote > 0 for each in votes)
    return quality(
        BASE_QUALITY if fact.base_quality is None else fact.base_quality,
        up,
        len(votes) - up,
        idle_days=max(0.0, days_between(max(used), moment)),
        age_days=days_between(created, moment),
    )


def list_days(last: date, span: timedelta) -> list[date]:
    """Return the days of a span that ends with *last*, the earliest first."""
    return [last - timedelta(days=back) for back in range(span.days, -1, -1)]
