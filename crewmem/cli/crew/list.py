"""``crewmem crew list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.registered import surveyed


@verb
@pass_app
def list_command(app: App) -> None:
    """List the crews of the workspace.

    Directories that the registry does not know are listed as not registered: of a
    backup without a database that is all there is.
    """
    from crewmem.cli.members import added_at, answered
    from crewmem.cli.output import Table
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.crews(folders, app.registry_to_read, app.workspace)
    rows = [
        (
            each.name,
            each.lead or "-",
            ", ".join(each.agents),
            ", ".join(each.members),
            each.description,
            added_at(app, each),
        )
        for each in found
    ]
    table = Table(("CREW", "LEAD", "AGENTS", "MEMBERS", "DESCRIPTION", "ADDED"), rows)
    app.out.listing([answered(app, each) for each in found], table)
