"""``crewmem memories drop``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument


@verb
@id_argument
@pass_app
def drop_command(app: App, *, id: str) -> None:
    """Say of an action item that nobody will do it."""
    from crewmem.cli.memories.closing import closed

    closed(app, id, "dropped")
