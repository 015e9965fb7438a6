"""Which jobs are late, and which fail: from what is kept of them, and now.

What is kept of a job is a row, of its last run that did something or failed, and the
time of its lock file, which a run that found nothing touches.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from crewmem.jobs.job import planned
from crewmem.jobs.naming import LOCK, NEVER_NS, key_of
from crewmem.jobs.schedule import latest
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from crewmem.jobs.jobs_store import Row
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
    touched: Mapping[str, datetime],
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
        touched: Of `touched`: when each job last found nothing to do.
        whens: The jobs that are wanted, as `job.planned` has them.
        now: The time.
        zone: Of days.
        workspace: The only one that the jobs look after; None for all.
    """
    keys = {name: key_of(name, workspace) for name in whens}
    known = [rows[key] for key in keys.values() if key in rows]
    begun = min((row.first_start for row in known), default=None)
    found: list[Standing] = []
    for name, key in keys.items():
        row, idle = rows.get(key), touched.get(key)
        if row and is_failing(row, idle):
            tries = f", {row.failures} times in a row" if row.failures > 1 else ""
            said = f"it failed{tries}: {row.reason}"
            found.append(Standing(name, FAILING, row.last_end, said, row.failures))
            continue
        last = last_run(row, idle) or begun
        since = _overdue(whens[name], last, now, zone)
        if since is not None:
            said = "it was never run" if last is begun else "it was not run since"
            found.append(Standing(name, OVERDUE, since, said))
    return found


def is_failing(row: Row | None, idle: datetime | None) -> bool:
    """Tell whether the last run failed: none that found nothing came after it."""
    return bool(row and row.failures and not (idle and idle > row.last_end))


def last_run(row: Row | None, idle: datetime | None) -> datetime | None:
    """Return when a job was last run to its end; None if it never was."""
    started = row.last_start if row else None
    return max((each for each in (started, idle) if each), default=None)


def _overdue(
    when: When, last: datetime | None, now: datetime, zone: tzinfo
) -> datetime | None:
    """Return when it should have been run at the latest; None if it was."""
    if last is None:
        return None
    try:
        before = latest(when, now - grace(when), zone)
    except OverflowError:  # the calendar has a beginning
        return None
    return before if before is not None and last < before else None


def grace(when: When) -> timedelta:
    """Return how late something may be before anybody is told."""
    if when.seconds:
        return max(timedelta(seconds=when.seconds), GRACE_LEAST)
    return GRACE_DAILY if when.weekday is None else GRACE_WEEKLY


def touched(home: str | os.PathLike[str], keys: list[str]) -> dict[str, datetime]:
    """Return when each of these jobs last found nothing to do, of those that did."""
    found: dict[str, datetime] = {}
    for key in keys:
        try:
            stamp = os.stat(f"{os.fspath(home)}/{LOCK}{key}").st_mtime_ns  # noqa: PTH116 - a name is enough
        except OSError:
            continue
        if stamp != NEVER_NS:
            found[key] = datetime.fromtimestamp(stamp // 1_000_000 / 1_000, UTC)
    return found


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
    return standing(rows, touched(home, [*whens]), whens, now, zone)
