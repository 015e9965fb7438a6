"""Runs jobs: one run of each job at a time, recorded only if it did something."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from crewmem.context import Context
from crewmem.errors import CrewmemError, LockedError, ServiceError, UsageError, suggest
from crewmem.jobs.last_runs import load_last_run, load_recorded_run
from crewmem.jobs.schedule import JOBS, SWEEP, Job, is_due, list_jobs, next_run
from crewmem.protocols import EntryWriter
from crewmem.storage.filesystem import write_time
from crewmem.storage.locks import try_lock
from crewmem.storage.sqlite import transaction
from crewmem.text.wording import describe_counts
from crewmem.times import format_time

ONCE_PER_WORKSPACE = frozenset({"rollup", "consolidate", "condense"})
"""Jobs that one host runs for all hosts of a shared store. The nightly job has such parts, too."""

MINUTE = 60.0

DAY = timedelta(days=1)
MIN_GRACE = timedelta(minutes=10)
"""Delay from which a job is late. It must also exceed the interval, or a day without interval."""


@dataclass(slots=True)
class Outcome:
    """The result of a job.

    Attributes:
        counts: Numbers of things that were done, by name; empty if there was nothing to do.
        errors: Messages of the parts that failed; the other parts were done.
        plan: Planned actions, as lines, with ``dry_run``.
        is_skipped: Whether the job was skipped because another process runs it.
    """

    counts: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    is_skipped: bool = False


Action = Callable[..., Outcome]
"""Runs a job, or with ``dry_run`` only plans it."""


class JobRun(NamedTuple):
    """A run of a job.

    Attributes:
        result: ok, nothing-new, failed, planned, or skipped-locked if the job already runs.
        next_due: When it is due again; "" if it was skipped.
        error: Reason of a failure, as a sentence.
    """

    workspace: str
    job: str
    result: str
    started_at: str
    seconds: float
    counts: dict[str, int]
    next_due: str
    error: str
    plan: tuple[str, ...]

    def format_line(self) -> str:
        """Return the run as one line for a log."""
        parts = [f"{self.started_at}  {self.workspace}/{self.job}: {self.result}"]
        parts += describe_counts(self.counts)
        if self.error:
            parts.append(self.error)
        return ", ".join([*parts, f"{self.seconds:.1f} s"])


class JobStatus(NamedTuple):
    """The state of a job.

    Attributes:
        last_run: Time of the last run; "" for never.
        result: Result of the last run: ok, nothing-new or failed; "" for never.
        failures: Number of consecutive failures.
        is_late: Whether it is overdue by more than its interval, or a day without interval.
    """

    workspace: str
    job: str
    about: str
    last_run: str
    result: str
    counts: dict[str, int]
    error: str
    failures: int
    next_due: str
    is_late: bool


class JobRunner:
    """Runs the jobs of a workspace.

    Attributes:
        jobs: The jobs that the settings enable.
    """

    def __init__(
        self, context: Context, journal: EntryWriter, actions: Mapping[str, Action]
    ) -> None:
        self._context = context
        self._journal = journal
        self._actions = actions
        self.jobs = [job for job in list_jobs(context.settings) if job.name in actions]

    def get_job(self, name: str) -> Job:
        """Return a job.

        Raises:
            UsageError: If there is no such job, or the settings do not enable it.
        """
        for job in self.jobs:
            if job.name == name:
                return job
        context = self._context
        if name in JOBS:
            reason = {"eval": "eval.suite", "tune": "eval.suite", "backup": "backup_dir"}.get(name)
            raise UsageError(
                f"the job '{name}' needs the setting {reason}",
                code="job-not-configured",
                hint=context.command("config set", str(reason), "VALUE"),
            )
        similar = suggest(name, JOBS)
        raise UsageError(
            f"there is no job '{name}'"
            + (f"; did you mean '{similar}'?" if similar else f": use {', '.join(JOBS)}"),
            code="unknown-job",
            hint=context.command("timers status"),
        )

    def run(self, name: str, *, dry_run: bool = False) -> JobRun:
        """Run a job once, due or not. A failure is reported in the result.

        Raises:
            LockedError: If the database is locked for too long.
        """
        job = self.get_job(name)
        context = self._context
        started = context.now
        begin = context.stopwatch()
        if dry_run:
            outcome = self._actions[name](dry_run=True)
            return self._report(job, "planned", started, begin, outcome)
        path = context.job_lock_path(name)
        with try_lock(path) as is_alone:
            if not is_alone:
                return self._report(job, "skipped-locked", started, begin, Outcome())
            try:
                outcome = self._execute(name)
            except LockedError as error:
                if error.code != "locked":
                    raise  # other jobs would wait for the same database
                outcome = Outcome(errors=[error.message])
                return self._report(job, "skipped-locked", started, begin, outcome)
            except CrewmemError as error:
                outcome = Outcome(errors=[error.message])
                result = "failed"
            else:
                if outcome.is_skipped:
                    return self._report(job, "skipped-locked", started, begin, outcome)
                result = "failed" if outcome.errors else "ok" if outcome.counts else "nothing-new"
            run = self._report(job, result, started, begin, outcome)
            if result != "nothing-new" or load_recorded_run(context, name).result == "failed":
                self._record(run)
            else:
                write_time(path, started)
            return run

    def _execute(self, name: str) -> Outcome:
        """Do the work of a job; a job of `ONCE_PER_WORKSPACE` needs a free lease."""
        if name not in ONCE_PER_WORKSPACE:
            return self._actions[name](dry_run=False)
        with hold_lease(self._context, name) as is_held:
            return self._actions[name](dry_run=False) if is_held else Outcome(is_skipped=True)

    def run_due(self, *, without: Sequence[str] = (), dry_run: bool = False) -> list[JobRun]:
        """Run every job that is due, in order."""
        runs = []
        for job in self.jobs:
            if job.name in without:
                continue
            last = load_last_run(self._context, job.name)
            context = self._context
            if is_due(
                job.schedule,
                context.now,
                context.zone,
                last=last.started,
                failures=last.failures,
            ):
                runs.append(self.run(job.name, dry_run=dry_run))
        return runs

    def list_status(self, *, retries: bool = True) -> list[JobStatus]:
        """Return the state of each job, including jobs that never ran.

        Args:
            retries: Whether failed jobs are tried again before their next due time.
        """
        context = self._context
        statuses = []
        for job in self.jobs:
            last = load_last_run(self._context, job.name)
            started = last.started or context.now
            failures = last.failures if retries else 0
            due = next_run(job.schedule, started, context.zone, failures=failures)
            grace = job.schedule.every or DAY
            is_late = last.started is not None and context.now > due + max(grace, MIN_GRACE)
            statuses.append(
                JobStatus(
                    workspace=context.workspace,
                    job=job.name,
                    about=job.about,
                    last_run=format_time(last.started) if last.started else "",
                    result=last.result,
                    counts=last.counts,
                    error=last.error,
                    failures=last.failures,
                    next_due=format_time(max(due, context.now) if last.started else context.now),
                    is_late=is_late,
                )
            )
        return statuses

    def sweep_seconds(self) -> float:
        """Return the interval of the sweep in seconds."""
        every = self.get_job(SWEEP).schedule.every
        assert every is not None
        return every.total_seconds()

    # State

    def _record(self, run: JobRun) -> None:
        """Store the row of a run and append a journal entry.

        If the server of a shared store is unreachable, only the row is stored, which is local.
        """
        context = self._context
        try:
            with transaction(context.db):
                self._store_row(run)
                self._journal.append(
                    "job.completed",
                    f"{run.job}: {run.result}" + (f", {run.error}" if run.error else ""),
                    payload={"job": run.job, "result": run.result, "counts": run.counts},
                    severity="warn" if run.result == "failed" else "info",
                )
        except ServiceError:
            with transaction(context.db, local=True):
                self._store_row(run)

    def _count_failures(self, job: str, result: str) -> int:
        """Return the number of consecutive failures after a run with *result*."""
        return load_recorded_run(self._context, job).failures + 1 if result == "failed" else 0

    def _store_row(self, run: JobRun) -> None:
        failures = self._count_failures(run.job, run.result)
        self._context.db.execute(
            "insert or replace into jobs (workspace_id, job, last_start, last_end, result,"
            " counts, error, failures, next_due) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._context.workspace,
                run.job,
                run.started_at,
                self._context.now_text,
                run.result,
                json.dumps(run.counts),
                run.error,
                failures,
                run.next_due,
            ),
        )

    def _report(
        self, job: Job, result: str, started: datetime, begin: float, outcome: Outcome
    ) -> JobRun:
        context = self._context
        failures = self._count_failures(job.name, result)
        next_time = format_time(next_run(job.schedule, started, context.zone, failures=failures))
        return JobRun(
            workspace=context.workspace,
            job=job.name,
            result=result,
            started_at=format_time(started),
            seconds=context.stopwatch() - begin,
            counts=dict(outcome.counts),
            next_due="" if result == "skipped-locked" else next_time,
            error="; ".join(outcome.errors),
            plan=tuple(outcome.plan),
        )


def hold_lease(context: Context, name: str) -> AbstractContextManager[bool]:
    """Hold the workspace's lease of a job in a block; yields False if another host has it."""
    shared = context.db.shared
    return shared.lease(f"{context.workspace}/{name}") if shared else nullcontext(True)


def run_minute(
    runners: Sequence[JobRunner],
    *,
    report: Callable[[JobRun], None],
    sweeps_again: bool = True,
    dry_run: bool = False,
) -> None:
    """Do the work of a minute: sweep, run due jobs, and sweep again within the minute.

    cron starts programs at most once a minute, so this process does the sweeps in between.

    Args:
        sweeps_again: Whether to sweep again. Interactive users would have to wait for it.
    """
    started = time.monotonic()
    interval = min((runner.sweep_seconds() for runner in runners), default=MINUTE)
    moments = [0.0]
    while sweeps_again and interval < MINUTE and moments[-1] + interval < MINUTE:
        moments.append(moments[-1] + interval)
    for number, moment in enumerate(moments):
        time.sleep(max(0.0, started + moment - time.monotonic()))
        for runner in runners:
            if interval < MINUTE:
                report(runner.run(SWEEP, dry_run=dry_run))
            if number == 0:
                without = (SWEEP,) if interval < MINUTE else ()
                for run in runner.run_due(without=without, dry_run=dry_run):
                    report(run)
