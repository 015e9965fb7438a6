"""``crewmem workspace show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.registered import surveyed


@verb
@argument("name", help="Which workspace.")
@pass_app
def show_command(app: App, *, name: str) -> None:
    """Show a workspace and its crews."""
    from crewmem.cli.members import show
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.workspace(folders, app.registry_to_read, name)
    show(app, found)
