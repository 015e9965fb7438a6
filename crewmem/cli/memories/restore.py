"""``crewmem memories restore``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument


@verb
@id_argument
@pass_app
def restore_command(app: App, *, id: str) -> None:
    """Hold a memory to be true again that was put away.

    An operator lets pass so what was quarantined.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.memories.change import restore

    memory = named(app, id)
    done = restore(desk(app, restricted=True), memory)
    said = "is held again" if done.changed else "was held already"
    tell(app, done, said)
