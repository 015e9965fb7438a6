"""``crewmem memories purge``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.purge import Tell


@verb
@id_argument
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def purge_command(app: App, *, id: str, yes: bool) -> None:
    """Erase a memory for good, with all that it said before.

    Nothing of what it said stays in the database, nor in the older ones that lie
    beside it; summaries that were made of it are told without it. The journal keeps
    that it was purged. What was shared of it is another memory. To put it away so that
    it can be restored there is forget.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.memories.withheld import shown
    from crewmem.errors.memories import MemoryMissingError
    from crewmem.memories.purge import purge
    from crewmem.memories.view import require_writable

    try:
        memory = named(app, id)
    except MemoryMissingError:
        if not _finished(app, id):
            raise
        return
    opened = desk(app, restricted=True)
    require_writable(opened.actor, opened.view, memory.owner)
    if not confirmed(app, f"Erasing {memory.id} for good", yes=yes):
        app.out.note("Nothing was erased.")
        return
    _drop_vectors(app, memory.seq)
    tell = _teller(app)
    purge(opened, memory, tell=tell)
    _drop_vectors(app, memory.seq)  # a sweep may have come by
    _purge_older(app, memory.id, tell)
    line = changed_line(shown(app, memory), "is erased")
    app.out.record({"id": memory.id}, [line])


def _finished(app: App, name: str) -> bool:
    """Take out of the files what a purge that was killed has left there."""
    from crewmem.cli.held import view
    from crewmem.db.scrub import scrub
    from crewmem.memories.purge import purged_before

    journal = app.journal_to_read
    seen = view(app, restricted=True)
    known = purged_before(journal, app.reach(None), seen, name) if journal else None
    if known is None:
        return False
    scrub(app.truth)
    _purge_older(app, known, _teller(app))
    app.out.record({"id": known}, [f"{known} was erased before; nothing of it is left"])
    return True


def _teller(app: App) -> Tell:
    from crewmem.cli.llm import summariser
    from crewmem.cli.scanner import scanner

    return summariser(app, "", scanner(app)).extract


def _purge_older(app: App, memory_id: str, tell: Tell) -> None:
    from crewmem.cli.journals import chain_key
    from crewmem.memories.purge import purge_older

    key = chain_key(app.world.environ)
    purge_older(app.home, app.workspace, memory_id, key=key, tell=tell, now=app.now)


def _drop_vectors(app: App, seq: int) -> None:
    """Drop what was embedded of the memory that stood at *seq*."""
    from crewmem.cli.remembered import stores
    from crewmem.memories.embed import drop
    from crewmem.vectors import FILE

    if (app.home / FILE).exists():
        drop(stores(app).vectors, app.workspace, seq)
