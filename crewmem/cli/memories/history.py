"""``crewmem memories history``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument, restricted_option


@verb
@id_argument
@restricted_option
@pass_app
def history_command(app: App, *, id: str, include_restricted: bool) -> None:
    """Show what a memory said before, its votes and its relations."""
    from crewmem.cli.held import looked_at, view
    from crewmem.cli.memories.shown import history_lines
    from crewmem.memories.held import history

    memories, memory = looked_at(app, id, include_restricted=include_restricted)
    told = history(memories.db, memory, view(app, restricted=True))
    app.out.record(told, history_lines(told, app.now))
