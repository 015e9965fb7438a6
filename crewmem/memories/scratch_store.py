"""Notes of sessions, as they are kept in crewmem.db."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row

    Who = tuple[str, str, str]
    """A workspace, an actor and a session."""

COLUMNS = "seq, id, session, actor, content, created_at, expires_at"


class Note(NamedTuple):
    """Something that a session works with.

    Attributes:
        seq: Its place in the database.
        id: s_ and 12 characters.
        session: Of which session it is.
        actor: Who wrote it, and alone sees it, as agent:mira.
        content: What it says.
        created_at: When it was written.
        expires_at: When it is gone.
    """

    seq: int
    id: str
    session: str
    actor: str
    content: str
    created_at: datetime
    expires_at: datetime


class Scratch:
    """The notes of all sessions."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, note_id: str, who: Who, text: str, now: str, end: str) -> Note:
        """Add a note of *who* that is gone at *end*."""
        workspace, actor, session = who
        sql = f"""
            insert into scratch (id, workspace_id, actor, session, content, created_at,
                                 expires_at)
            values (?, ?, ?, ?, ?, ?, ?)
            returning {COLUMNS}
        """
        values = (note_id, workspace, actor, session, text, now, end)
        return _note(fetch_one(self._db, sql, values))

    def of(self, who: Who, now: str, limit: int = -1) -> list[Note]:
        """Return the notes of *who*, oldest first; of a session "" those of all.

        Those that are over or summed up are left out.
        """
        workspace, actor, session = who
        sql = f"""
            select {COLUMNS} from scratch
             where workspace_id = ?1 and actor = ?2 and (?3 = '' or session = ?3)
               and expires_at > ?4 and digested_into is null
             order by seq
             limit ?5
        """
        found = fetch(self._db, sql, (workspace, actor, session, now, limit))
        return [_note(row) for row in found]

    def mark(self, seqs: Collection[int], memory_id: str) -> None:
        """Say that the memory of *memory_id* sums up the notes at *seqs*."""
        with explained(self._db):
            self._db.executemany(
                "update scratch set digested_into = ? where seq = ?",
                [(memory_id, seq) for seq in seqs],
            )

    def expired(self, now: str) -> int:
        """Count what is over, whoever wrote it."""
        sql = "select count(*) from scratch where expires_at <= ?"
        return int(fetch_one(self._db, sql, (now,))[0])

    def drop_expired(self, now: str) -> None:
        """Drop what is over, whoever wrote it."""
        with explained(self._db):
            self._db.execute("delete from scratch where expires_at <= ?", (now,))

    def clear(self, who: Who) -> int:
        """Drop the notes of *who*; return how many there were."""
        sql = """
            delete from scratch
             where workspace_id = ? and actor = ? and session = ?
            returning seq
        """
        return len(fetch(self._db, sql, who))


def _note(row: Row) -> Note:
    seq, note_id, session, actor, content, written, end = row
    at, over = times.from_text(written), times.from_text(end)
    return Note(seq, note_id, session, actor, content, at, over)
