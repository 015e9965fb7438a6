"""``crewmem workspace list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.registered import surveyed


@verb
@pass_app
def list_command(app: App) -> None:
    """List the workspaces.

    Directories that the registry does not know are listed as not registered: of a
    backup without a database that is all there is.
    """
    from crewmem.cli.members import added_at, answered
    from crewmem.cli.output import Table
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.workspaces(folders, app.registry_to_read)
    rows = [
        (each.name, f"{len(each.crews):,}", each.description, added_at(app, each))
        for each in found
    ]
    table = Table(
        ("WORKSPACE", "CREWS", "DESCRIPTION", "ADDED"), rows, frozenset({"CREWS"})
    )
    app.out.listing([answered(app, each) for each in found], table)
