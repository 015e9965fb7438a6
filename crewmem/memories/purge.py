"""Erasing memories: the only way that anything of them is lost."""

from __future__ import annotations

from crewmem import times
from crewmem.db.migrate import version
from crewmem.db.scrub import older, scrub
from crewmem.journal.purge import purge as emptied
from crewmem.journal.purge_store import naming
from crewmem.journal.store import Journal
from crewmem.journal.text_store import settle
from crewmem.memories import revisions_store, rollup_store, written
from crewmem.memories.condense import SUBTYPE as CLUSTER
from crewmem.memories.draft import first_clause
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.store import Memories
from crewmem.memories.view import RESTRICTED, require_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from crewmem.journal.entry import Entry
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.summarise import Told
    from crewmem.memories.view import View
    from crewmem.scope import Reach

    Tell = Callable[[Sequence[Memory]], Told]
    """Says at once what memories say together, by their titles."""

PURGED = "memory.purged"

STEP = 7
"""Of the schema that made the tables: an older database holds nothing."""

KEPT = frozenset({"period", "sources"})
"""Of what is noted of a summary. What tells of what it was told, so that it is told
again when that changes, is not: the next rollup tells it anew."""

LATEST = 1_000
"""Of what was purged, that is looked at again: who was killed in it does it soon."""


def purge(desk: Desk, memory: Memory, *, tell: Tell) -> None:
    """Erase *memory*, what it said before, the votes on it and what relates to it.

    Proposals to share it go as well, and notes that it sums up. Summaries that were
    made of it are told anew by *tell*, without it, and what they said before goes.
    What was shared of it already is another memory.

    The journal keeps that it happened. It never held what the memory said, but why it
    was put away or pinned: payloads of entries about it are emptied.

    Raises:
        OutOfScopeError: If the actor may not change it.
        ChainKeyMissingError: If an entry was written with a key, and there is none.
        DatabaseBusyError: If somebody reads the database for too long: then it is not
            found any more, and doing it again takes it out of the file.
    """
    require_writable(desk.actor, desk.view, memory.owner)
    with desk.journal.transaction():
        current = desk.memories.find(memory.id, desk.view)
        for each in _removed(desk.memories, current, tell, desk.now):
            desk.tell("revised", each)
        _empty_entries(desk.journal, desk.workspace, memory.id, desk.now)
        desk.tell("purged", current._replace(kind="memory"))
    scrub(desk.memories.db)


def purge_older(
    home: Path,
    workspace: str,
    memory_id: str,
    *,
    key: bytes | None,
    tell: Tell,
    now: datetime,
) -> None:
    """Erase the memory of that id in the older databases that lie in *home*.

    The *key* signs that entries of the journal were emptied.

    Raises:
        DataError: If one of them cannot be read; all others are dealt with by then.
    """
    for db in older(home):
        if version(db) < STEP:
            continue
        memories = Memories(db)
        journal = Journal(db, chain_key=key)
        with journal.transaction():
            if found := memories.by_id(workspace, memory_id):
                _removed(memories, found, tell, now)
            _empty_entries(journal, workspace, memory_id, now)
        scrub(db)


def purged_before(journal: Journal, reach: Reach, view: View, name: str) -> str | None:
    """Return the id that *name* names or begins of what was purged; None for none.

    Of an agent only what was its own, or its crew's that it leads.
    """
    from crewmem.journal.filter import Filter
    from crewmem.journal.listing_store import page

    wanted = Filter(reach, types=(PURGED,), with_archive=True)
    found = {
        str(each.payload.get("id"))
        for each in page(journal.db, wanted, limit=LATEST).entries
        if _is_writable(each, view)
    }
    known = [each for each in found if each.startswith(name)]
    return known[0] if len(known) == 1 else None


def _is_writable(purged: Entry, view: View) -> bool:
    if purged.payload.get("scope") == "agent":
        return view.agent in {None, purged.agent_id}
    return view.agent is None or purged.crew_id in view.led


def _empty_entries(
    journal: Journal, workspace: str, memory_id: str, now: datetime
) -> None:
    """Empty the payloads of the entries that are about the memory of that id."""
    named = naming(journal.db, workspace, "id", [memory_id])
    if emptied(journal, workspace, named, now=now):
        settle(journal.db)


def _removed(
    memories: Memories, memory: Memory, tell: Tell, now: datetime
) -> list[Memory]:
    """Remove *memory*; return the summaries that say something else without it."""
    made_of_it = memories.summaries_of(memory.seq)
    memories.remove(memory)
    return [
        _told_anew(memories, each, sources, tell, now)
        for each in made_of_it
        if (sources := _left(memories, each, now))
    ]


def _left(memories: Memories, summary: Memory, now: datetime) -> list[Memory]:
    """Return what *summary* tells of; if that is nothing any more, remove it."""
    put_away = {*rollup_store.put_away(memories.db, summary.seq, now)}
    sources = [
        each
        for each in memories.sources_of(summary.seq)
        if each.status in LIVE or each.seq in put_away
        if summary.sensitivity == RESTRICTED or each.sensitivity != RESTRICTED
    ]
    if not sources:
        memories.remove(summary)
    return sources


def _told_anew(
    memories: Memories,
    summary: Memory,
    sources: Sequence[Memory],
    tell: Tell,
    now: datetime,
) -> Memory:
    """Let *summary* say what its *sources* do, and nothing that it said before."""
    revisions_store.drop(memories.db, summary)
    told = tell(sources)
    is_titled = summary.subtype == CLUSTER  # a group is called like one of it
    title = first_clause(sources[-1].title) if is_titled else summary.title
    kept = {name: summary.metadata[name] for name in KEPT & {*summary.metadata}}
    ids = {"sources": [each.id for each in sources]} if is_titled else {}
    return memories.change(
        summary.seq,
        {
            **written.said(summary.kind, title, told.text),
            "metadata": written.metadata({**kept, **ids, **told.metadata}),
            "updated_at": times.to_text(now),
        },
    )
