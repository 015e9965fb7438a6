"""``crewmem agent add``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import hinted, to_add
from crewmem.cli.typed import as_text


@verb
@argument("slug", help="What to call it: a-z, 0-9 and hyphens.")
@option("--crew", metavar="NAME", required=True, help="Its home crew.")
@option(
    "--role",
    type=click.Choice(["agent", "lead"]),
    default="agent",
    help="Whether it leads the crew.",
)
@option("--description", metavar="TEXT", callback=as_text, help="What it does.")
@pass_app
def add_command(
    app: App, *, slug: str, crew: str, role: str, description: str | None
) -> None:
    """Add an agent to a crew and make its memory.

    That is AGENT.md, with headings for the agent to fill, and daily/. Files that are
    there are left alone, so a tree restored from a backup is registered as it is. An
    agent that its crew names as its lead is its lead, whatever --role says.
    """
    from crewmem.cli.members import show_added
    from crewmem.registry.add import add_agent
    from crewmem.registry.member import new_agent
    from crewmem.scope import require_operator

    require_operator(app.actor, "add agents")
    new = new_agent(
        app.workspace,
        slug,
        crew=crew,
        role=role,
        description=description or "",
        now=app.now,
    )
    with hinted(app):
        added = add_agent(to_add(app), app.home, new)
    show_added(app, added)
