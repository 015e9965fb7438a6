"""When a job is due: computed from its schedule, its last run, and now. Pure.

A time of day is of a zone, and comes once on each day that the zone has: where clocks
skip it, it is as much later; where they say it twice, the first time counts.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from crewmem import times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, tzinfo

    from crewmem.settings.whens import When

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

AGAIN_FIRST, AGAIN_MOST = timedelta(minutes=15), timedelta(hours=6)
"""How long after a failure a job is tried again: at first, and at most."""

WEEK, FEW = 8, 2
"""Days around now among which each day of the week is; and among which today's is,
whatever a zone does to its days."""


def latest(when: When, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the last time, at *now* or before, at which it was due."""
    if when.seconds:
        return now - _since(when, now)
    found = [each for each in _around(when, now, zone) if each <= now]
    return max(found, default=None)


def following(when: When, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the first time after *now* at which it is due; None after all time."""
    if when.seconds:
        try:
            return now - _since(when, now) + timedelta(seconds=when.seconds)
        except OverflowError:
            return None
    found = [each for each in _around(when, now, zone) if each > now]
    return min(found, default=None)


def is_due(when: When, last: datetime | None, now: datetime, zone: tzinfo) -> bool:
    """Tell whether it is due *now*, having been run *last*.

    A run in the future was made by a clock that was wrong: it is none.
    """
    if last is None or last > now:
        return True
    before = latest(when, now, zone)
    return before is not None and last < before


def is_due_again(failed: datetime, failures: int, now: datetime) -> bool:
    """Tell whether what *failed* is tried again, before it is due anyway.

    Args:
        failed: When.
        failures: How often, in a row: each doubles the time.
        now: The time.
    """
    doubled: int = 2 ** max(0, min(failures - 1, 10))
    pause = min(AGAIN_MOST, AGAIN_FIRST * doubled)
    return now >= failed + pause


def next_due(
    when: When, last: datetime | None, now: datetime, zone: tzinfo
) -> datetime | None:
    """Return when it is due next: *now*, if it is due."""
    return now if is_due(when, last, now, zone) else following(when, now, zone)


def _since(when: When, now: datetime) -> timedelta:
    """Return how long ago a span began that is counted from midnight in UTC."""
    return (now - EPOCH) % timedelta(seconds=when.seconds)


def _around(when: When, now: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Yield its times on the days around *now*."""
    today = times.day(now, zone)
    far = FEW if when.weekday is None else WEEK
    for days in range(-far, far + 1):
        try:
            day = today + timedelta(days=days)
        except OverflowError:  # the calendar has an end
            continue
        if when.weekday in {None, day.weekday()}:
            yield _at(day, when.minute, zone)


def _at(day: date, minute: int, zone: tzinfo) -> datetime:
    local = datetime.combine(day, time(minute // 60, minute % 60))
    try:
        return local.replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):  # at an end of the calendar, as `times.day`
        return local.replace(tzinfo=UTC)
