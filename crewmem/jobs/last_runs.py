"""The last run of each job: a row, or only the time of the lock file if it had nothing to do."""

from datetime import datetime
from typing import NamedTuple

from crewmem.context import Context
from crewmem.jobs.schedule import EPOCH, JOBS
from crewmem.storage.filesystem import read_time
from crewmem.storage.json_columns import load_object
from crewmem.times import parse_time


class LastRun(NamedTuple):
    """The last run of a job.

    Attributes:
        started: None if it never ran.
        failures: Number of consecutive failures.
    """

    started: datetime | None
    result: str
    counts: dict[str, int]
    error: str
    failures: int


NO_RUN = LastRun(None, "", {}, "", 0)


def load_last_runs(context: Context) -> dict[str, LastRun]:
    """Return the last run of each job that ever ran in the workspace, by name."""
    runs = {job: load_last_run(context, job) for job in JOBS}
    return {job: run for job, run in runs.items() if run.started is not None}


def load_last_run(context: Context, job: str) -> LastRun:
    """Return the last run of a job.

    A run in the future comes from a wrong clock and does not count.
    """
    recorded = load_recorded_run(context, job)
    if recorded.started is not None and recorded.started > context.now:
        recorded = NO_RUN
    idle = read_time(context.job_lock_path(job))
    if idle is None or idle > context.now or idle <= (recorded.started or EPOCH):
        return recorded
    return LastRun(idle, "nothing-new", {}, "", 0)


def load_recorded_run(context: Context, job: str) -> LastRun:
    """Return the last run of a job that did something, or failed."""
    row = context.db.one(
        "select last_start, result, counts, error, failures from jobs"
        " where workspace_id = ? and job = ?",
        (context.workspace, job),
    )
    if row is None:
        return NO_RUN
    started, result, counts, error, failures = row
    return LastRun(parse_time(started), result, load_object(counts), error, failures)
