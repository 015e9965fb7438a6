"""``crewmem memories purge``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument


@verb
@id_argument
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def purge_command(app: App, *, id: str, yes: bool) -> None:
    """Erase a memory for good, with all that it said before.

    Nothing of what it said stays in the database; the journal keeps that it was
    purged. To put it away so that it can be restored there is forget.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.memories.withheld import shown
    from crewmem.memories.purge import purge
    from crewmem.memories.view import require_writable

    memory = named(app, id)
    opened = desk(app, restricted=True)
    require_writable(opened.actor, opened.view, memory.owner)
    if not confirmed(app, f"Erasing {memory.id} for good", yes=yes):
        app.out.note("Nothing was erased.")
        return
    purge(opened, memory)
    _drop_vectors(app, memory.seq)
    line = changed_line(shown(app, memory), "is erased")
    app.out.record({"id": memory.id}, [line])


def _drop_vectors(app: App, seq: int) -> None:
    """Drop what was embedded of the memory that stood at *seq*."""
    from crewmem.cli.remembered import stores
    from crewmem.memories.embed import drop
    from crewmem.vectors import FILE

    if (app.home / FILE).exists():
        drop(stores(app).vectors, app.workspace, seq)
