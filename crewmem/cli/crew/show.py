"""``crewmem crew show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.registered import surveyed


@verb
@argument("name", help="Which crew.")
@pass_app
def show_command(app: App, *, name: str) -> None:
    """Show a crew and its agents.

    Agents are at home in it; members are at home in another crew and belong to this
    one as well. Settings that nobody changed are shown with their defaults.
    """
    from crewmem.cli.members import show
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.crew(folders, app.registry_to_read, app.workspace, name)
    show(app, found)
