"""``crewmem workspace set``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import described, require_change, to_change
from crewmem.cli.typed import as_text


@verb
@argument("name", help="Which workspace.")
@option(
    "--description",
    metavar="TEXT",
    callback=as_text,
    help="What it is for; '' for nothing.",
)
@pass_app
def set_command(app: App, *, name: str, description: str | None) -> None:
    """Change a workspace."""
    from crewmem.cli.members import show
    from crewmem.errors.registry import WorkspaceMissingError
    from crewmem.registry.change import change_workspace
    from crewmem.scope import require_operator

    require_operator(app.actor, "change workspaces")
    require_change(description=description)
    with to_change(app, WorkspaceMissingError(name)) as registry:
        changed = change_workspace(
            registry, name, description=described(app, description)
        )
    show(app, changed)
