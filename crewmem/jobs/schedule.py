"""The jobs and their schedules."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from crewmem.config import Settings
from crewmem.times import add_span, day_start, local_day

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

FIRST_RETRY, LAST_RETRY = timedelta(minutes=15), timedelta(hours=6)
"""Delay of the first retry after a failure, which doubles with each failure, and the longest."""

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
        is_short: Whether it is short and runs often. It then keeps its normal priority.
    """

    name: str
    about: str
    schedule: Schedule
    is_short: bool


JOBS = {
    SWEEP: "embed new texts and refresh indexes",
    "extract": "learn from session logs",
    "housekeeping": "expire session notes and repair",
    "rollup": "write summaries of days and weeks",
    "consolidate": "promote recurring statements",
    "condense": "merge near duplicates",
    "nightly": "compact, decay, share, measure, prune",
    "eval": "measure recall against its gates",
    "tune": "tune recall after a passed gate",
    "backup": "write a bundle to backup_dir",
}
"""All jobs and what they do, in the order of running: summaries need the sweep, the nightly job
needs both, and a backup includes the results of all."""


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
    """Return whether a job is due.

    Args:
        last: Time of the last run; None for never.
        failures: Number of consecutive failures; a failed job is retried before its next due time.
    """
    return last is None or now >= next_run(schedule, last, zone, failures=failures)


def next_run(schedule: Schedule, last: datetime, zone: tzinfo, *, failures: int) -> datetime:
    """Return when a job that ran at *last* runs again; after a failure it is tried earlier."""
    due = next_due(schedule, last, zone)
    if not failures:
        return due
    return min(due, add_span(last, min(LAST_RETRY, FIRST_RETRY * 2 ** min(failures - 1, 10))))


def _times_around(schedule: Schedule, now: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Yield the due times on the days around *now*, or in the weeks around it.

    A time that a clock change skips is shifted by the change; of a repeated time the first counts.
    """
    today = local_day(now, zone)
    reach = 2 if schedule.weekday is None else 8
    for days in range(-reach, reach + 1):
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
