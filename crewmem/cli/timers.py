"""Commands of `crewmem timers`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import timedelta

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, answer_type, pass_app
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.jobs.runner import JobRun, JobRunner, JobStatus, run_minute
from crewmem.jobs.schedule import JOBS
from crewmem.text.wording import describe_counts
from crewmem.times import format_age, format_span, parse_time


@click.group(cls=Group)
def timers() -> None:
    """Schedule jobs with systemd or cron."""


@timers.command(answer=answer_type("jobs.timers:TimersChange"))
@click.option("--systemd", is_flag=True, help="Use systemd user units.")
@click.option("--cron", is_flag=True, help="Use the crontab.")
@click.option("--print", "only_print", is_flag=True, help="Print what would be installed.")
@pass_app
def install(app: App, systemd: bool, cron: bool, only_print: bool) -> None:
    """Install timers for all jobs of this home.

    Uses systemd if it runs, else cron.
    """
    options.exclude(("--systemd", systemd), ("--cron", cron))
    app.require_operator("install timers")
    scheduler = "systemd" if systemd else "cron" if cron else None
    home_timers = app.home.timers
    if only_print:
        from crewmem.jobs.timers import TimersChange  # only for --print

        scheduler, problems = (scheduler, []) if scheduler else home_timers.find_scheduler()
        planned = TimersChange(scheduler, home_timers.jobs, [], home_timers.command, problems)
        app.show(planned, home_timers.render(scheduler))
        return
    change = home_timers.install(scheduler)
    if change.scheduler:
        line = f"Installed {change.scheduler} timers: {', '.join(change.jobs)}."
        app.show(change, [line, *app.next_step(app.command("timers status"))])
        return
    lines = ["There is neither systemd nor cron here:", *(f"  {each}" for each in change.problems)]
    lines += ["Run this once a minute with another scheduler:", f"  {change.command}"]
    app.show(change, lines)
    app.exit(1)


@timers.command(answer=answer_type("jobs.timers:TimersChange"))
@pass_app
def remove(app: App) -> None:
    """Remove the timers of this home."""
    change = app.home.timers.remove()
    text = f"Removed the {change.scheduler} timers."
    app.show(change, [text if change.scheduler else "This home has no timers."])


def _complete_job(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in JOBS if name.startswith(incomplete)]


@timers.command(answer=list[JobRun])
@click.argument("job", required=False, shell_complete=_complete_job)
@click.option("--all-due", is_flag=True, help="Run the sweep and every job that is due.")
@options.dry_run
@options.strict
@pass_app
def run(app: App, job: str | None, all_due: bool, dry_run: bool, strict: bool) -> None:
    """Run a job now, or all that are due.

    Jobs are sweep, extract (session logs), housekeeping, rollup, consolidate, condense, nightly
    (journal compaction, fading, sharing, health, old versions), eval, tune and backup.

    A scheduler starts --all-due once a minute; it then sweeps twice, 30 seconds apart. On a
    terminal it sweeps once.
    """
    if (job is None) == (not all_due):
        raise UsageError("give a JOB or --all-due", code="usage", command="timers status")
    runners = list(make_runners(app))
    runs: list[JobRun] = []

    def report(run: JobRun) -> None:
        runs.append(run)
        is_idle = run.result == "nothing-new"
        if app.output.is_human and not (app.output.quiet and is_idle):
            app.output.print(run.format_line())
            for line in run.plan or (["nothing to do"] if run.result == "planned" else []):
                app.output.print(f"  {line}")
            sys.stdout.flush()

    if job is None:
        sweeps_again = not (app.output.is_terminal or dry_run)
        run_minute(runners, report=report, sweeps_again=sweeps_again, dry_run=dry_run)
    else:
        for runner in runners:
            report(runner.run(job, dry_run=dry_run))
    if not app.output.is_human:
        app.show(runs, [])
    else:
        app.output.warn(app.home.context.warnings)
    failed = [run for run in runs if run.result == "failed"]
    if failed and (strict or job is not None):
        app.exit(1)


@timers.command(answer=list[JobStatus])
@pass_app
def status(app: App) -> None:
    """Show last run, result and next run of each job."""
    retries = app.home.timers.retries
    runners = make_runners(app)
    statuses = [each for runner in runners for each in runner.list_status(retries=retries)]
    table = Table(
        statuses,
        {
            "WORKSPACE": lambda each: each.workspace,
            "JOB": lambda each: each.job,
            "LAST RUN": lambda each: (
                format_age(each.last_run, app.now) if each.last_run else "never"
            ),
            "RESULT": lambda each: (
                each.result + (f" ({each.failures}x)" if each.failures else "") or "-"
            ),
            "NEXT RUN": lambda each: _format_due(parse_time(each.next_due) - app.now),
            "WHAT": lambda each: each.error or ", ".join(describe_counts(each.counts)),
        },
        drop=["WHAT", "WORKSPACE"],
    )
    app.show(statuses, table)


def _format_due(wait: timedelta) -> str:
    return f"in {format_span(wait)}" if wait > timedelta() else "now"


def make_runners(app: App) -> Iterator[JobRunner]:
    """Yield a runner for the named workspace, or one for each workspace of the home.

    Jobs act as the system, no matter who starts them. The default workspace comes first, because
    the first one takes the sessions that no agent claims.
    """
    app.require_operator("run jobs")
    names = [app.workspace]
    if app.option("workspace") is None and not app.environ.get("CREWMEM_WORKSPACE"):
        names = [each.name for each in app.home.registry.list_workspaces()]
        names.sort(key=lambda name: name != app.workspace)
    for name in names:
        yield app.home.with_context(app.home.context.derive(workspace=name)).jobs
