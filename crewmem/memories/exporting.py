"""Memories as lines of JSON, with votes, revisions, relations and accesses."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.journal.chain import encoded
from crewmem.memories import beside, carried_store
from crewmem.memories.beside import NOTHING
from crewmem.memories.store import Memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import apsw

    from crewmem.memories.beside import Beside
    from crewmem.memories.carried_store import Wanted
    from crewmem.memories.memory import Memory

AT_ONCE = 500
"""Memories that are read together."""

LEFT_OUT = frozenset({"seq", "workspace", "content_hash"})
"""What a memory gets where it is imported."""


def lines(db: apsw.Connection, wanted: Wanted) -> Iterator[str]:
    """Yield a line for each memory that is *wanted*, in the order they were added.

    A line names no memory that has no line of its own. Call it inside one moment.
    """
    memories = Memories(db)
    known = carried_store.places(db, wanted)
    ids = frozenset(known.values())
    seqs = [*known]
    for start in range(0, len(seqs), AT_ONCE):
        some = seqs[start : start + AT_ONCE]
        found = memories.by_seq(some)
        hanging = carried_store.beside(db, some)
        notes = carried_store.notes(db, some)
        for seq in some:
            told = record(found[seq], hanging.get(seq, NOTHING), ids)
            stale_at, spans = notes[seq]
            more: dict[str, Any] = {"stale_at": stale_at} if stale_at else {}
            if spans != "[]":
                more["source_spans"] = json.loads(spans)
            yield encoded({**told, **more})


def record(memory: Memory, hanging: Beside, ids: frozenset[str]) -> dict[str, Any]:
    """Return *memory* as a line has it.

    Args:
        memory: The memory.
        hanging: What hangs on it.
        ids: Of the memories that it may name.
    """
    told = {
        name: value
        for name, value in memory._asdict().items()
        if name not in LEFT_OUT and value not in (None, [], {})
    }
    if memory.kind == "action_item":
        told["state"] = memory.state
    if memory.superseded_by not in ids:
        told.pop("superseded_by", None)
    for name in (
        "occurred_at",
        "expires_at",
        "verified_at",
        "created_at",
        "updated_at",
    ):
        if name in told:
            told[name] = times.to_text(told[name])
    edges = tuple(each for each in hanging.edges if each.to in ids)
    return {**told, **beside.spelled(hanging._replace(edges=edges))}
