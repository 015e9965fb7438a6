"""Taking memories in from lines of JSON, each one once."""

from __future__ import annotations

from crewmem import ids, times
from crewmem.errors import (
    BadMemoryError,
    BlankMemoryError,
    InputTooLargeError,
    UnknownKindError,
)
from crewmem.journal.importing import LISTED, Imported, Trouble
from crewmem.journal.reading import BadLineError, json_object, lines
from crewmem.memories import rows
from crewmem.memories.memory import require_valid, settled
from crewmem.memories.reading import read
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from crewmem.journal.reading import Line
    from crewmem.memories.desk import Desk
    from crewmem.memories.reading import Read
    from crewmem.memories.rows import Values

BAD = (
    BadLineError,
    BadMemoryError,
    BlankMemoryError,
    InputTooLargeError,
    UnknownKindError,
)
"""What is wrong with a line that is no memory."""


class _Found(NamedTuple):
    """What there is of a line already."""

    known: bool
    reason: str = ""


def import_memories(desk: Desk, stream: BinaryIO) -> Imported:
    """Add the memories in *stream*, those that are there left alone; all, or none.

    A line without an id gets one that is made of the line, so that it is added once.
    Of two that say the same the first is kept, as `remember` does.
    """
    told = _Tally()
    with desk.journal.transaction():
        for line in lines(stream):
            told.lines += 1
            try:
                _take(desk, line, told)
            except BAD as error:
                told.bad += 1
                told.trouble(Trouble(line.number, str(error)))
    return told.result()


def _take(desk: Desk, line: Line, told: _Tally) -> None:
    if line.text is None:
        raise BadLineError("it is too long")
    found = read(json_object(line.text))
    told.extra |= found.extra
    require_valid(found.draft)
    values = _values(desk, found, line.text)
    there = _there(desk, values)
    if there is None:
        desk.memories.add(values)
        told.added += 1
    elif there.known:
        told.known += 1
    else:
        told.conflicts += 1
        told.trouble(Trouble(line.number, there.reason, str(values["id"])))


def _values(desk: Desk, found: Read, text: bytes) -> Values:
    written = found.created_at or desk.now
    values = rows.columns(
        settled(found.draft),
        workspace=desk.workspace,
        memory_id=found.id or _id_of(text),
        by=found.created_by or str(desk.actor),
        now=written,
        status=found.status,
    )
    changed = times.to_text(found.updated_at or written)
    return {**values, **found.more, "updated_at": changed}


def _there(desk: Desk, values: Values) -> _Found | None:
    """Return what there is of a memory of *values*; None if nothing."""
    from crewmem.memories.memory import Owner

    memory_id = str(values["id"])
    other = desk.memories.by_id(desk.workspace, memory_id)
    if other:
        known = other.content_hash == values["content_hash"]
        return _Found(known, f"another memory has the id {memory_id!r}")
    if values["status"] != "active":
        return None
    owner = Owner(str(values["scope"]), str(values["agent_id"]), str(values["crew_id"]))
    where = (desk.workspace, owner)
    digest = str(values["content_hash"])
    if desk.memories.active(*where, "content_hash", digest):
        return _Found(known=True)
    topic = values["topic_key"]
    held = desk.memories.active(*where, "topic_key", str(topic)) if topic else None
    return _Found(known=False, reason=f"topic {topic!r} is {held.id}") if held else None


def _id_of(text: bytes) -> str:
    import hashlib

    digest = hashlib.sha256(text).digest()
    return ids.new("m", lambda size: digest[:size])


class _Tally:
    """Counts what comes of an import."""

    def __init__(self) -> None:
        self.lines = self.added = self.known = self.bad = self.conflicts = 0
        self.troubles: list[Trouble] = []
        self.extra: set[str] = set()

    def trouble(self, trouble: Trouble) -> None:
        """Keep what was wrong with a line, as far as it is told."""
        if len(self.troubles) < LISTED:
            self.troubles.append(trouble)

    def result(self) -> Imported:
        """Return what came of it."""
        return Imported(
            lines=self.lines,
            added=self.added,
            known=self.known,
            bad=self.bad,
            conflicts=self.conflicts,
            troubles=tuple(self.troubles),
            extra=tuple(sorted(self.extra)[:LISTED]),
        )
