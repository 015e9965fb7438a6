"""The jobs, and when each is due."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from crewmem.config import Settings
from crewmem.times import add_span, day_start, local_day

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

FIRST_RETRY, LAST_RETRY = timedelta(minutes=15), timedelta(hours=6)
"""Delay of the first retry after a failure, which then doubles, and the longest delay."""

SWEEP = "sweep"


class Schedule(NamedTuple):
    """When a job is due: at intervals, or at a time of day in the setting ``timezone``.

    Attributes:
        every: Interval, counted from midnight UTC; None for a time of day.
        minute: Minute of the day.
        weekday: 0 is Monday; None for every day.
    """

    every: timedelta | None = None
    minute: int = 0
    weekday: int | None = None


class Job(NamedTuple):
    """A task that timers repeat.

    Attributes:
        about: What it does, for people.
        is_short: Whether other jobs wait for it; it then keeps its normal priority.
    """

    name: str
    about: str
    schedule: Schedule
    is_short: bool = False


JOBS = {
    SWEEP: "embed what is new and refresh indexes",
    "extract": "learn from session logs",
    "housekeeping": "expire session notes and repair",
    "rollup": "write summaries of days and weeks",
    "consolidate": "promote what recurs",
    "condense": "merge near duplicates",
    "nightly": "compact, decay, share, measure, prune",
    "eval": "measure recall against its gates",
    "tune": "tune recall after a passed gate",
    "backup": "write a bundle to backup_dir",
}
"""All jobs and what they do, in running order: summaries need the sweep, the nightly job needs
both, and a backup includes all."""


def list_jobs(settings: Settings) -> list[Job]:
    """Return the jobs that *settings* enable.

    Evaluation and tuning need a suite; a backup needs ``backup_dir``.
    """

    def every(setting: str) -> Schedule:
        return Schedule(every=timedelta(seconds=settings.span(setting)))

    hours, _, minutes = settings["jobs.nightly"].partition(":")
    nightly = int(hours) * 60 + int(minutes)
    schedules = {
        SWEEP: every("jobs.sweep"),
        "extract": every("jobs.extract"),
        "housekeeping": Schedule(every=timedelta(hours=1)),
        "rollup": Schedule(minute=10),
        "consolidate": every("jobs.consolidate"),
        "condense": every("jobs.consolidate"),
        "nightly": Schedule(minute=nightly),
    }
    if settings["eval.suite"]:
        schedules["eval"] = Schedule(minute=(nightly + 60) % 1440)
        schedules["tune"] = Schedule(minute=(nightly + 90) % 1440)
    if settings["backup_dir"]:
        schedules["backup"] = Schedule(minute=(nightly + 120) % 1440, weekday=6)
    return [
        Job(name, JOBS[name], schedule, is_short=name == SWEEP)
        for name, schedule in schedules.items()
    ]


def last_due(schedule: Schedule, now: datetime, zone: tzinfo) -> datetime:
    """Return the last due time at or before *now*."""
    if schedule.every is not None:
        return now - (now - EPOCH) % schedule.every
    return max(moment for moment in _times_around(schedule, now, zone) if moment <= now)


def next_due(schedule: Schedule, now: datetime, zone: tzinfo) -> datetime:
    """Return the first due time after *now*."""
    if schedule.every is not None:
        return add_span(last_due(schedule, now, zone), schedule.every)
    return min(moment for moment in _times_around(schedule, now, zone) if moment > now)


def is_due(
    schedule: Schedule,
    now: datetime,
    zone: tzinfo,
    *,
    last: datetime | None,
    failures: int = 0,
) -> bool:
    """Tell whether a job is due.

    Args:
        last: Time of the last run. A time in the future comes from a wrong clock and is ignored.
        failures: Consecutive failures; a failed job is retried before its next due time.
    """
    if last is None or last > now:
        return True
    if last < last_due(schedule, now, zone):
        return True
    if not failures:
        return False
    pause = min(LAST_RETRY, FIRST_RETRY * 2 ** min(failures - 1, 10))
    return bool(now >= last + pause)


def _times_around(schedule: Schedule, now: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Yield the due times on the days around *now*, or in the week around it.

    A time that clocks skip is shifted by the skip; of a repeated time the first counts.
    """
    today = local_day(now, zone)
    far = 2 if schedule.weekday is None else 8
    for days in range(-far, far + 1):
        try:
            day: date = today + timedelta(days=days)
        except OverflowError:  # beyond the limits of the calendar
            continue
        if schedule.weekday in (None, day.weekday()):
            start = day_start(day, zone)
            local = time(schedule.minute // 60, schedule.minute % 60)
            try:
                yield datetime.combine(day, local, zone).astimezone(UTC)
            except OverflowError:
                yield start
