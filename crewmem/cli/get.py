"""``crewmem get``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument, restricted_option


@verb
@id_argument
@restricted_option
@pass_app
def get_command(app: App, *, id: str, include_restricted: bool) -> None:
    """Show a memory, whole, with how far it is trusted.

    Six characters of its id are enough where no other begins so. What is forgotten,
    superseded or over is shown as well: its status says so. That it was read is
    counted: what is shared and nobody reads loses quality.
    """
    from crewmem.cli.held import looked_at
    from crewmem.cli.memories.shown import memory_lines
    from crewmem.cli.recalling.counted import note_read
    from crewmem.memories.held import held

    memories, memory = looked_at(app, id, include_restricted=include_restricted)
    (told,) = held(memories.db, [memory], app.now)
    app.out.record(told, memory_lines(told, app.now))
    note_read(app, memory.id)
