"""``crewmem agent remove``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import to_change


@verb
@argument("slug", help="Which agent.")
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def remove_command(app: App, *, slug: str, yes: bool) -> None:
    """Take an agent out of the registry; its files stay.

    A crew that it led has no lead then. Adding it again brings it back with its
    files.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.members import removing, show_kept, show_removed
    from crewmem.errors.registry import AgentMissingError
    from crewmem.registry.remove import remove_agent
    from crewmem.scope import require_operator

    require_operator(app.actor, "remove agents")
    with to_change(app, AgentMissingError(slug, app.workspace)) as registry:
        found = registry.agent(app.workspace, slug)
        if not confirmed(app, removing(found), yes=yes):
            show_kept(app, found)
        show_removed(app, remove_agent(registry, app.workspace, slug))
