"""``crewmem memories daily``."""

from __future__ import annotations

from datetime import date

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.memory import Owner


@verb
@argument("date", metavar="DATE", help="As 2026-05-01.")
@option("--agent", metavar="SLUG", callback=as_text, help="Of this agent.")
@pass_app
def daily_command(app: App, *, date: str, agent: str | None) -> None:
    """Show the summary of a day, or what was held then.

    An agent's own day; of an operator the workspace's, or with --agent an agent's.
    """
    from crewmem.cli.held import memories_to_read, view
    from crewmem.cli.memories.shown import memories_table
    from crewmem.memories.held import held
    from crewmem.memories.periods import day, day_of
    from crewmem.memories.store import Filter

    period = day(_day(date))
    memories, told = memories_to_read(app), view(app)
    owner = _owner(app, agent)
    listed = []
    if memories:
        summary = memories.active(app.workspace, owner, "topic_key", period.topic)
        if summary and told.sees(summary):
            listed = [summary]
        else:
            where = Filter(
                told,
                app.now,
                scope=owner.scope,
                agent=owner.agent or None,
                statuses=("active", "warm", "stale", "archived"),
                expired=True,
            )
            found = memories.page(where, limit=MOST).memories
            listed = [each for each in found if day_of(each, app.zone) == period.first]
    rows = held(memories.db, listed, app.now) if memories else []
    if app.out.is_json or not rows or rows[0].memory.subtype != "daily":
        app.out.listing(rows, memories_table(rows, {}))
    else:
        app.out.listing_lines(rows, rows[0].memory.content.splitlines())
    if not rows:
        app.out.note("Nothing was held then.")


MOST = 10_000
"""Memories that are looked through for those of a day that was never summed up."""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise click.UsageError("A day is written as 2026-05-01.") from error


def _owner(app: App, agent: str | None) -> Owner:
    from crewmem.errors.registry import OutOfScopeError
    from crewmem.memories.memory import Owner

    if app.actor.is_operator:
        return Owner("agent", agent=agent) if agent else Owner("workspace")
    if agent not in {None, app.actor.name}:
        rule = "agents and leads see their own days"
        raise OutOfScopeError(str(app.actor), f"see the day of {agent}", rule)
    return Owner("agent", agent=app.actor.name)
