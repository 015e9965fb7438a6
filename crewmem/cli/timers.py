"""Commands of `crewmem timers`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from crewmem.access import Actor
from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.output import Table
from crewmem.errors import ServiceError, UsageError
from crewmem.jobs import cron, systemd
from crewmem.jobs.runner import JobRun, JobRunner, JobStatus, run_minute
from crewmem.jobs.schedule import JOBS, list_jobs
from crewmem.jobs.timers import find_target
from crewmem.registry.membership import find_access
from crewmem.text.wording import describe_counts
from crewmem.times import format_age, format_span, parse_time

if TYPE_CHECKING:  # imported by the commands that use them
    from crewmem.home import Home


@dataclass(frozen=True, slots=True)
class TimersChange:
    """The result of `install` or `remove`.

    Attributes:
        scheduler: ``systemd``, ``cron``, or "" if neither is available.
        jobs: Jobs whose timers were installed or removed.
        files: Units that were written or removed.
        command: Command line for other schedulers, to run once a minute.
    """

    scheduler: str
    jobs: list[str]
    files: list[str]
    command: str


@click.group(cls=Group)
def timers() -> None:
    """Schedule jobs with systemd or cron."""


@timers.command(answer=TimersChange)
@click.option("--systemd", "scheduler", flag_value="systemd", help="Use systemd user units.")
@click.option("--cron", "scheduler", flag_value="cron", help="Use the crontab.")
@click.option("--print", "only_print", is_flag=True, help="Print what would be installed.")
@pass_app
def install(app: App, scheduler: str | None, only_print: bool) -> None:
    """Install timers for all jobs of this home."""
    app.require_operator("install timers")
    target = find_target(app.home)
    jobs = list_jobs(app.home.settings)
    names = [job.name for job in jobs]
    manager, crontab = systemd.Systemd(app.environ), cron.Crontab(app.environ)
    by_hand = target.command("timers", "run", "--all-due")
    command = shlex.join(by_hand)
    units = systemd.make_units(target, jobs)
    files = [unit.name for unit in units]
    block = cron.make_block(target.prefix, [*by_hand, "--quiet"])
    if only_print:
        texts = []
        if scheduler != "cron":
            for unit in units:
                texts += [f"# {manager.directory / unit.name}", unit.text]
        if scheduler != "systemd":
            texts += block
        app.show(TimersChange(scheduler or "", names, files, command), texts)
        return
    problems = []
    if scheduler is None:
        for name, each in (("systemd", manager), ("cron", crontab)):
            problem = each.find_problem()
            if not problem:
                scheduler = name
                break
            problems.append(f"  {name}: {problem}")
    if scheduler is None:
        lines = ["There is neither systemd nor cron here:", *problems]
        lines += ["Run this once a minute with another scheduler:", f"  {command}"]
        app.show(TimersChange("", [], [], command), lines)
        app.exit(1)
    elif scheduler == "systemd":
        manager.install(units, target.prefix)
    else:
        before = crontab.read()
        after = cron.add_block(before, target.prefix, block)
        if after != before:
            crontab.write(after)
        files = []
    done = TimersChange(str(scheduler), names, files, command)
    lines = [f"Installed {scheduler} timers: {', '.join(names)}."]
    app.show(done, [*lines, *app.next_step(app.command("timers status"))])


@timers.command(answer=TimersChange)
@pass_app
def remove(app: App) -> None:
    """Remove the timers of this home."""
    app.require_operator("remove timers")
    target = find_target(app.home)
    manager, crontab = systemd.Systemd(app.environ), cron.Crontab(app.environ)
    jobs = manager.list_timers(target.prefix)
    files = manager.remove(target.prefix)
    schedulers = ["systemd"] if files else []
    try:
        before = crontab.read()
    except ServiceError:  # without cron there is nothing to remove
        before = b""
    if cron.has_block(before, target.prefix):
        crontab.write(cron.remove_block(before, target.prefix))
        schedulers.append("cron")
        jobs = jobs or [job.name for job in list_jobs(app.home.settings)]
    done = TimersChange("+".join(schedulers), jobs, files, "")
    found = f"Removed the timers of {' and '.join(schedulers)}."
    app.show(done, [found if schedulers else "There are no timers of this home."])


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

    A scheduler starts --all-due once a minute, and it sweeps twice, 30 seconds apart. On a terminal
    it sweeps once and ends.
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
            for line in run.plan:
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
    found = [each for runner in make_runners(app) for each in runner.list_status()]
    table = Table(
        found,
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
    app.show(found, table)


def _format_due(wait: timedelta) -> str:
    return f"in {format_span(wait)}" if wait > timedelta() else "now"


def make_runners(app: App) -> Iterator[JobRunner]:
    """Yield a runner for the named workspace, or one for each workspace of the home.

    Jobs act as the system, no matter who starts them.
    """
    app.require_operator("run jobs")
    names = [app.workspace]
    if app.option("workspace") is None and not app.environ.get("CREWMEM_WORKSPACE"):
        names = [each.name for each in app.home.registry.list_workspaces()]
    for name in names:
        yield open_workspace(app.home, name).jobs


def open_workspace(home: Home, workspace: str) -> Home:
    """Return another workspace of *home*; the system acts in it, on the same database."""
    context = home.context.derive(workspace=workspace)
    context.access = find_access(context, Actor("system", "crewmem"))
    return type(home)(context)
