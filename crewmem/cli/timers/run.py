"""``crewmem timers run``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.jobs.parts import Outcome
    from crewmem.cli.timers.running import Ran


@verb
@argument("job", required=False, metavar="[JOB]", help="Which; timers show names them.")
@option("--all-due", is_flag=True, help="Run every job that is due, in order.")
@option("--if-due", is_flag=True, help="Do nothing if JOB is not due.")
@option("--strict", is_flag=True, help="End with 1 when a part of a job failed.")
@option("--dry-run", is_flag=True, help="Only say what would be run.")
@pass_app
def run_command(
    app: App,
    *,
    job: str | None,
    all_due: bool,
    if_due: bool,
    strict: bool,
    dry_run: bool,
) -> None:
    """Run a job, or all that are due.

    It is what timers call, and may be called at any time, late, twice, or while it is
    being run: then it ends at once. A part that fails holds up no other; the status is
    0 then, or 1 with --strict, and 5 when all of it failed. What was done is told in a
    line, and kept, with an entry job.completed in the journal of the workspace that is
    named, else of that of the settings. A run that finds nothing to do keeps nothing.

    With --all-due one scheduler is enough for all jobs, whatever it is: call it every
    minute. Jobs that failed are tried again after a while. Where the database is locked
    for longer than busy_timeout the others are left for the next call, and the status
    is 6. All workspaces are looked after, unless --workspace names one. For operators.
    """
    from crewmem.cli.timers.running import Unasked, plan
    from crewmem.scope import require_operator

    require_operator(app.actor, "run jobs")
    app = Unasked(app.world, app.given)
    if bool(job) == all_due:
        raise click.UsageError("Name a job, or say --all-due.")
    wanted = _wanted(app, job, due_alone=all_due or if_due)
    if dry_run:
        plans = [plan(app, name) for name in wanted]
        app.out.listing_lines(plans, [f"{each.job}: {each.line}" for each in plans])
        return
    done = _run_all(app, wanted, if_due=all_due or if_due)
    _tell(app, done, strict=strict)
    if not done and not app.out.quiet:
        app.out.note(f"{job} is not due." if job else "Nothing is due.")
    app.conclude(ok=not (strict and any(each.failures for _, each in done)))


def _wanted(app: App, job: str | None, *, due_alone: bool) -> list[str]:
    """Return the jobs that are meant, in their order."""
    from crewmem.cli.jobs.work import WORK

    if job is not None and job not in WORK:
        from crewmem.errors.jobs import JobMissingError

        raise JobMissingError(job, [*WORK])
    if not app.home.is_dir():
        from crewmem.errors.registry import HomeMissingError

        raise HomeMissingError(app.home)
    if not due_alone:
        return [job] if job else []
    from crewmem.cli.timers.timing import due

    return [name for name in due(app) if job in {None, name}]


def _run_all(
    app: App, names: Sequence[str], *, if_due: bool
) -> list[tuple[Ran | None, Outcome]]:
    """Run the jobs one after the other, until one meets a locked database."""
    done: list[tuple[Ran | None, Outcome]] = []
    for name in names:
        if done:
            vars(app).pop("now", None)  # each begins at its own time
        done.append(_run(app, name, if_due=if_due))
        if done[-1][1].is_locked_out:
            break
    return done


def _run(app: App, name: str, *, if_due: bool) -> tuple[Ran | None, Outcome]:
    """Run one of the jobs; what could not be begun, or kept, is a failure of it."""
    from crewmem.cli.jobs.parts import Outcome
    from crewmem.cli.timers.running import run

    try:
        return run(app, name, if_due=if_due)
    except CrewmemError as error:
        return None, Outcome(failures={name: error})


def _tell(
    app: App, done: Sequence[tuple[Ran | None, Outcome]], *, strict: bool
) -> None:
    """Say what was done, unless all of it failed.

    Raises:
        CrewmemError: If all of it failed: why.
        DatabaseBusyError: If jobs were not run, for the database is locked.
        Exception: If a part failed for a mistake of ours.
    """
    from crewmem.cli.jobs.parts import is_locked_out, why

    if strict and any(each.failures for _, each in done):
        app.out.quiet = False  # who wants it to fail wants to know why
    for _, each in done:
        if each.result == "partial" or (each.failures and len(done) > 1):
            for part, error in each.failures.items():
                if not is_locked_out(error):  # that is raised
                    app.out.warn(f"{part}: {why(error)}")
    errors = [error for _, each in done for error in each.failures.values()]
    if mistake := next((e for e in errors if not isinstance(e, CrewmemError)), None):
        raise mistake
    if done and all(each.result == "failed" for _, each in done):
        raise _whole(done)
    rans = [ran for ran, _ in done if ran]
    shown = [each for each in rans if each.result != "nothing" or not app.out.quiet]
    app.out.listing_lines(rans, [f"{each.job}: {each.line}" for each in shown])
    if locked := next(filter(is_locked_out, errors), None):
        raise locked


def _whole(done: Sequence[tuple[Ran | None, Outcome]]) -> BaseException:
    """Return why nothing succeeded: the reason itself, if there is one alone."""
    from crewmem.cli.jobs.parts import why
    from crewmem.errors.jobs import JobFailedError, JobsFailedError

    errors = [error for _, each in done for error in each.failures.values()]
    if len({why(each) for each in errors}) == 1:
        return errors[0]
    if len(done) == 1 and done[0][0]:
        return JobFailedError(done[0][0].job, done[0][0].failed)
    return JobsFailedError([why(each) for each in errors])
