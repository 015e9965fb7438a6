"""How far consolidation has read: notes line by line, the journal by its places."""

from __future__ import annotations

import json

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from crewmem.db.connect import Bound

JOURNAL, PINS = "journal", "pins"

FIRST_SCHEMA = 9
"""The step that makes the tables: an older database has read nothing."""


WIDTH = 4
"""Bytes of a checksum."""

UNREAD = b"!"
"""What stands behind the checksums of a note of which some line could not be read: such
a note is not put away."""


class Note(NamedTuple):
    """A note, or a list of lessons, that was read.

    Attributes:
        day: Its day; "" of a list of lessons.
        mtime_ns: Of its stamp; 0 where that could not be trusted yet.
        sha256: Of its bytes.
        lines: A checksum of four bytes a line; behind them `UNREAD`, if some could not
            be read.
    """

    day: str
    size: int
    mtime_ns: int
    sha256: str
    lines: bytes

    @property
    def is_whole(self) -> bool:
        """Tell whether all of it was read."""
        return len(self.lines) % WIDTH == 0


class Marks(NamedTuple):
    """How far was read: what is to be kept of it.

    Attributes:
        places: The places in the journal, by agent, "" for the crew's own.
        pins: Pinned entries that were read.
        notes: What was read of notes, by memory directory and file.
        gone: Notes that are no longer there, the same.
    """

    places: Mapping[str, int]
    pins: Sequence[str]
    notes: Mapping[tuple[str, str], Note]
    gone: Sequence[tuple[str, str]]


def has_tables(db: apsw.Connection) -> bool:
    """Tell whether *db* is new enough to know how far was read."""
    (version,) = fetch_one(db, "pragma user_version")
    return int(version) >= FIRST_SCHEMA


def notes(db: apsw.Connection, workspace: str, place: str) -> dict[str, Note]:
    """Return what was read of the notes of *place*, by file."""
    sql = """
        select file, day, size, mtime_ns, sha256, lines
          from consolidation_notes
         where workspace_id = ? and place = ?
    """
    rows = fetch(db, sql, (workspace, place)) if has_tables(db) else []
    return {row[0]: Note._make(row[1:]) for row in rows}


def place(db: apsw.Connection, workspace: str, crew: str, agent: str) -> int:
    """Return up to which place the journal was read for *agent*, "" for the crew."""
    found = _mark(db, workspace, crew, agent, JOURNAL)
    return int(found) if found.isdigit() else 0


def pins(db: apsw.Connection, workspace: str, crew: str) -> frozenset[str]:
    """Return the pinned entries of *crew* that were read."""
    found = json.loads(_mark(db, workspace, crew, "", PINS) or "[]")
    return frozenset(map(str, found))


def _mark(
    db: apsw.Connection, workspace: str, crew: str, agent: str, source: str
) -> str:
    if not has_tables(db):
        return ""
    sql = """
        select mark from consolidation_marks
         where (workspace_id, crew_id, agent_id, source) = (?, ?, ?, ?)
    """
    return next(
        (mark for (mark,) in fetch(db, sql, (workspace, crew, agent, source))), ""
    )


def keep(db: apsw.Connection, workspace: str, crew: str, marks: Marks) -> None:
    """Keep how far was read; call it inside a transaction."""
    rows = [
        (workspace, crew, agent, JOURNAL, str(at)) for agent, at in marks.places.items()
    ]
    rows.append((workspace, crew, "", PINS, json.dumps(sorted(marks.pins))))
    with explained(db):
        db.executemany(
            "insert or replace into consolidation_marks values (?, ?, ?, ?, ?)", rows
        )
        db.executemany(
            """
            insert or replace into consolidation_notes
            values (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            _note_rows(workspace, marks),
        )
        db.executemany(
            """
            delete from consolidation_notes
             where workspace_id = ? and place = ? and file = ?
            """,
            ((workspace, *each) for each in marks.gone),
        )


def _note_rows(workspace: str, marks: Marks) -> Iterable[tuple[Bound, ...]]:
    return ((workspace, *where, *note) for where, note in marks.notes.items())
