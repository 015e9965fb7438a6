"""``crewmem agent list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.registered import surveyed


@verb
@option("--crew", metavar="NAME", help="Only those who belong to this crew.")
@pass_app
def list_command(app: App, *, crew: str | None) -> None:
    """List the agents of the workspace.

    Directories that the registry does not know are listed as not registered: of a
    backup without a database that is all there is.
    """
    from crewmem.cli.members import added_at, answered
    from crewmem.cli.output import Table
    from crewmem.registry import survey

    with surveyed(app) as folders:
        found = survey.agents(folders, app.registry_to_read, app.workspace, crew=crew)
    rows = [
        (
            each.slug,
            ", ".join(each.crews),
            each.role,
            "on" if each.memory else "off",
            each.description,
            added_at(app, each),
        )
        for each in found
    ]
    table = Table(("AGENT", "CREWS", "ROLE", "MEMORY", "DESCRIPTION", "ADDED"), rows)
    app.out.listing([answered(app, each) for each in found], table)
