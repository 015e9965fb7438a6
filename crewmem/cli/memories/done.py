"""``crewmem memories done``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.typed import as_text


@verb
@argument("id", metavar="ID", callback=as_text, help="Its id, or how that begins.")
@pass_app
def done_command(app: App, *, id: str) -> None:
    """Say of an action item that it is done."""
    from crewmem.cli.memories.closing import closed

    closed(app, id, "done")
