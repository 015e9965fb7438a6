"""``crewmem memories rollup``."""

from __future__ import annotations

from datetime import date

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.llm import llm_command_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.memories.periods import Period
    from crewmem.memories.rollup import Rollup

JOB = "rollup"
"""Its name, as it is locked."""


@verb
@option("--daily", metavar="DATE", help="Sum up this day, today if need be.")
@option("--weekly", metavar="WEEK", help="Sum up this week, as 2026-W18.")
@option("--catch-up", is_flag=True, help="Sum up all days and weeks that are over.")
@llm_command_option
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@pass_app
def rollup_command(
    app: App,
    *,
    daily: str | None,
    weekly: str | None,
    catch_up: bool,
    llm_command: str | None,
    dry_run: bool,
) -> None:
    """Sum up days and weeks, and let details age behind them.

    For a timer, once a night; without options it is yesterday, and last week on a
    Monday. There is a summary for each agent of what it holds, and one of what the
    workspace does. It is renewed only when something in it changed. Context, feedback,
    errors, meetings and closed action items stand behind a summary after 7 days, and
    are archived after 30. A summary is a list of titles, or is written by the language
    model that the setting llm names; where that fails, titles do. For operators.
    """
    from crewmem.cli.jobs.alone import tell_running
    from crewmem.scope import require_operator

    require_operator(app.actor, "sum up what all agents hold")
    if catch_up and (daily or weekly):
        raise click.UsageError("--catch-up is all of them: name no day and no week.")
    periods = None if catch_up else _periods(app, daily, weekly)
    done = rolled_up(app, periods, llm_command=llm_command, dry_run=dry_run)
    if done.running:
        tell_running(app, JOB)
    app.out.record(done, _lines(done))
    if done.running:
        return
    if not done.rolled:
        app.out.note("Nothing was held then.")
    elif dry_run:
        app.out.note("Nothing was changed: this is what would be done.")


def rolled_up(
    app: App,
    periods: Sequence[Period] | None = None,
    *,
    llm_command: str | None = None,
    dry_run: bool = False,
) -> Rollup:
    """Sum up *periods*, by default all that are over; warn of what was left out.

    Nothing is done where another rollup is running, which is said.
    """
    from contextlib import nullcontext

    from crewmem.cli.held import desk_there
    from crewmem.cli.jobs.alone import job
    from crewmem.cli.llm import summariser
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import tell_left_out
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.rollup import Roller, Rollup

    opened = desk_there(app, to_read=dry_run)
    scan = scanner(app)
    writer = summariser(app, llm_command, scan)
    if opened is None:
        return Rollup([], [])
    with nullcontext(enter_result=True) if dry_run else job(app, JOB) as is_alone:
        if not is_alone:
            return Rollup([], [], running=True)
        done = Roller(
            opened._replace(is_system=True),
            summariser=writer,
            zone=app.zone,
            scan=scan,
            tokenize=tokenizer(opened.memories.db),
            dry_run=dry_run,
        ).run(periods)
    for warning in writer.warnings:
        app.out.warn(warning)
    tell_left_out(app, done.left_out)
    return done


def _periods(app: App, daily: str | None, weekly: str | None) -> list[Period]:
    from datetime import timedelta

    from crewmem import times
    from crewmem.memories.periods import day, read_week, week

    found = []
    try:
        if daily:
            found.append(day(date.fromisoformat(daily)))
        if weekly:
            found.append(read_week(weekly))
    except ValueError as error:
        message = "A day is written as 2026-05-01, a week as 2026-W18."
        raise click.UsageError(message) from error
    if found:
        return found
    today = times.day(app.now, app.zone)
    if today == date.min:
        return []  # no day is over
    before = today - timedelta(days=1)
    return [day(before), week(before)] if today.weekday() == 0 else [day(before)]


def _lines(done: Rollup) -> Iterator[Line]:
    for each in done.rolled:
        name = each.memory or "-"
        yield [
            f"{each.period:10}  {each.owner:12}  {each.action:9}  ",
            ("bold", name),
            f"  of {each.sources}",
        ]
    for one in done.aged:
        yield [("dim", f"{one.status:8}"), "  ", ("bold", one.id), f"  {one.title}"]
