"""Which jobs are late, and which fail: from what is kept of them, and now.

What is kept of a job is a row, of its last run that did something or failed, and a
line in its lock file, which a run leaves that found nothing, or a locked database.
"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.jobs.job import planned
from crewmem.jobs.mark import of_jobs
from crewmem.jobs.naming import key_of
from crewmem.jobs.schedule import latest
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from datetime import datetime, tzinfo

    from crewmem.jobs.jobs_store import Row
    from crewmem.jobs.mark import Mark
    from crewmem.settings import Settings
    from crewmem.settings.whens import When

GRACE_LEAST = timedelta(minutes=10)
"""How late the most frequent job may be: a slow embedder takes a while."""

GRACE_DAILY, GRACE_WEEKLY = timedelta(hours=6), timedelta(days=1)
"""How late others may be: a machine that slept through the night is not ill."""

OVERDUE, FAILING = "overdue", "failing"


class Standing(NamedTuple):
    """A job that is not as it should be.

    Attributes:
        job: Its name.
        state: overdue or failing.
        since: When it should have been run, or when it failed last; None: it was
            never run, and nobody knows since when it should have been.
        reason: What there is to say of it, without a full stop.
        failures: How often it failed in a row.
    """

    job: str
    state: str
    since: datetime | None
    reason: str
    failures: int = 0


def standing(
    rows: Mapping[str, Row],
    marks: Mapping[str, Mark],
    whens: Mapping[str, When],
    now: datetime,
    zone: tzinfo,
    *,
    workspace: str | None = None,
) -> list[Standing]:
    """Return the jobs that are late or fail, in the order of *whens*. Pure.

    Where no job was ever run nothing is late: nobody has installed timers.

    Args:
        rows: Of `jobs_store.rows`.
        marks: Of `mark.of_jobs`: what each job left that kept no row.
        whens: The jobs that are wanted, as `job.planned` has them.
        now: The time.
        zone: Of days.
        workspace: The only one that the jobs look after; None for all.
    """
    keys = {name: key_of(name, workspace) for name in whens}
    rows = believed(rows, marks, now)
    known = [rows[key] for key in keys.values() if key in rows]
    begun = min((row.first_start for row in known), default=None)
    found: list[Standing] = []
    for name, key in keys.items():
        row, mark = rows.get(key), marks.get(key)
        if failure := failing(row, mark):
            found.append(_failed(name, failure))
            continue
        last = last_run(row, mark) or begun
        since = _overdue(whens[name], last, now, zone)
        if since is not None:
            said = "it was never run" if last is begun else "it was not run since"
            found.append(Standing(name, OVERDUE, since, said))
    return found


def believed(
    rows: Mapping[str, Row], marks: Mapping[str, Mark], now: datetime
) -> dict[str, Row]:
    """Return *rows* without those of a clock that was wrong.

    A run in the future is none where another left a mark: else a job whose row is of
    next year would be due again and again until then.
    """
    return {
        key: row
        for key, row in rows.items()
        if key not in marks or row.last_start <= now
    }


class Failure(NamedTuple):
    """How the last run of a job failed.

    Attributes:
        at: When.
        reason: Why.
        failures: How often in a row.
    """

    at: datetime
    reason: str
    failures: int


def failing(row: Row | None, mark: Mark | None) -> Failure | None:
    """Return how the last run failed; None if it did not, or there was none."""
    if mark and not (row and row.last_end >= mark.at):
        if not mark.failures:
            return None
        before = row.failures if row else 0
        return Failure(mark.at, mark.reason, before + mark.failures)
    if row and row.failures:
        return Failure(row.last_end, row.reason, row.failures)
    return None


def _failed(name: str, failure: Failure) -> Standing:
    at, reason, failures = failure
    tries = f", {failures:,} times in a row" if failures > 1 else ""
    return Standing(name, FAILING, at, f"it failed{tries}: {reason}", failures)


def last_run(row: Row | None, mark: Mark | None) -> datetime | None:
    """Return when a job was last run to its end; None if it never was."""
    started = [row.last_start] if row else []
    return max(started + ([mark.at] if mark else []), default=None)


def _overdue(
    when: When, last: datetime | None, now: datetime, zone: tzinfo
) -> datetime | None:
    """Return when it should have been run at the latest; None if it was."""
    if last is None:
        return None
    before = latest(when, times.before(now, grace(when)), zone)
    return before if before is not None and last < before else None


def grace(when: When) -> timedelta:
    """Return how late something may be before anybody is told."""
    if when.seconds:
        return max(timedelta(seconds=when.seconds), GRACE_LEAST)
    return GRACE_DAILY if when.weekday is None else GRACE_WEEKLY


def troubles(
    home: str | os.PathLike[str],
    rows: Mapping[str, Row],
    settings: Settings,
    now: datetime,
    zone: tzinfo,
) -> list[Standing]:
    """Return the jobs of *home* that are late or fail, as `standing` does.

    Args:
        home: Where the lock files are.
        rows: Of `jobs_store.rows`.
        settings: Those in force: which jobs are wanted, and when.
        now: The time.
        zone: Of days.
    """
    whens = planned(settings)
    return standing(rows, of_jobs(home, whens, now), whens, now, zone)
