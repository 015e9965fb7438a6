"""``crewmem agent add``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import begun, described, hinted, to_add
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.registry.member import Agent


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
    there are left alone, so a tree restored from a backup is registered as it is, its
    memory off if it was. An agent that its crew names as its lead is its lead,
    whatever --role says.
    """
    from functools import partial

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
        description=described(app, description) or "",
        now=app.now,
    )
    if was_off := _was_off(app, new):
        new = new._replace(memory=False)
    with hinted(app):
        begins = partial(begun, app)
        added = add_agent(to_add(app), app.home, new, begun=begins)
    if was_off:
        app.out.warn(f"its memory was off: crewmem agent set {slug} --memory on")
    show_added(app, added)


def _was_off(app: App, new: Agent) -> bool:
    """Tell whether the directory that is there says that the memory is off."""
    from crewmem.errors import CrewmemError
    from crewmem.files.locate import in_home
    from crewmem.files.switch import off
    from crewmem.scope import Scope

    crew, slug = new.crew, new.slug
    try:
        found = in_home(app.home, new.workspace, Scope.AGENT, crew=crew, agent=slug)
        return any(map(off, found))
    except CrewmemError:  # there is none yet, or adding it says what is wrong
        return False
