"""``crewmem workspace add``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import described, to_add
from crewmem.cli.typed import as_text


@verb
@argument("name", help="What to call it: a-z, 0-9 and hyphens.")
@option("--description", metavar="TEXT", callback=as_text, help="What it is for.")
@pass_app
def add_command(app: App, *, name: str, description: str | None) -> None:
    """Add a workspace.

    Its directory is made; files that are there are left alone. Adding a crew in a
    workspace that is not there adds the workspace as well.
    """
    from crewmem.cli.members import show_added
    from crewmem.registry.add import add_workspace
    from crewmem.registry.member import new_workspace
    from crewmem.scope import require_operator

    require_operator(app.actor, "add workspaces")
    new = new_workspace(
        name, description=described(app, description) or "", now=app.now
    )
    show_added(app, add_workspace(to_add(app), app.home, new))
