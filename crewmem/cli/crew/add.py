"""``crewmem crew add``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import begun, described, to_add
from crewmem.cli.typed import as_text


@verb
@argument("name", help="What to call it: a-z, 0-9 and hyphens.")
@option("--lead", metavar="SLUG", help="Agent that leads it; it may be added later.")
@option("--description", metavar="TEXT", callback=as_text, help="What it is for.")
@pass_app
def add_command(
    app: App, *, name: str, lead: str | None, description: str | None
) -> None:
    """Add a crew and make its shared memory.

    That is CREW.md, with headings for its lead to fill, and topics/. Files that are
    there are left alone, so a tree restored from a backup is registered as it is. The
    workspace is added if it is not there.
    """
    from functools import partial

    from crewmem.cli.members import show_added
    from crewmem.registry.add import add_crew
    from crewmem.registry.member import new_crew
    from crewmem.scope import require_operator

    require_operator(app.actor, "add crews")
    new = new_crew(
        app.workspace,
        name,
        lead=lead,
        description=described(app, description) or "",
        now=app.now,
    )
    registry, begins = to_add(app), partial(begun, app)
    show_added(app, add_crew(registry, app.home, new, begun=begins))
    if lead not in {each.slug for each in registry.agents(app.workspace)}:
        app.out.note(f"Next: crewmem agent add {lead or 'SLUG'} --crew {name}")
