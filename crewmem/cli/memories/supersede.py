"""``crewmem memories supersede``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import as_text


@verb
@argument("old", metavar="OLD", callback=as_text, help="What does not hold any more.")
@option("--by", metavar="NEW", required=True, callback=as_text, help="What does.")
@pass_app
def supersede_command(app: App, *, old: str, by: str) -> None:
    """Let one memory take the place of another."""
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.memories.change import supersede

    before, after = named(app, old), named(app, by)
    done = supersede(desk(app, restricted=True), before, after)
    tell(app, done, f"took the place of {before.id}", after)
