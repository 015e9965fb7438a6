"""``crewmem workspace remove``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import to_change


@verb
@argument("name", help="Which workspace.")
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def remove_command(app: App, *, name: str, yes: bool) -> None:
    """Take a workspace out of the registry; its files stay.

    One that has crews is refused: they are removed first. Adding it again brings it
    back with its files.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.members import removing, show_kept, show_removed
    from crewmem.errors.registry import WorkspaceMissingError
    from crewmem.registry.remove import remove_workspace
    from crewmem.scope import require_operator

    require_operator(app.actor, "remove workspaces")
    with to_change(app, WorkspaceMissingError(name)) as registry:
        found = registry.workspace(name)
        if not confirmed(app, removing(found), yes=yes):
            show_kept(app, found)
        show_removed(app, remove_workspace(registry, name))
