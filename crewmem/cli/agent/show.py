"""``crewmem agent show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.registered import surveyed


@verb
@argument("slug", help="Which agent.")
@pass_app
def show_command(app: App, *, slug: str) -> None:
    """Show an agent.

    Settings that nobody changed are shown with their defaults.
    """
    from crewmem.cli.members import show
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.agent(folders, app.registry_to_read, app.workspace, slug)
    show(app, found)
