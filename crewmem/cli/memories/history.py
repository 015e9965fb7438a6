"""``crewmem memories history``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.typed import as_text


@verb
@argument("id", metavar="ID", callback=as_text, help="Its id, or how that begins.")
@pass_app
def history_command(app: App, *, id: str) -> None:
    """Show what a memory said before, its votes and its relations."""
    from crewmem.cli.held import found, view
    from crewmem.cli.memories.shown import history_lines
    from crewmem.memories.held import history

    memories, memory = found(app, id)
    told = history(memories.db, memory, view(app, restricted=True))
    app.out.record(told, history_lines(told, app.now))
