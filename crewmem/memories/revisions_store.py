"""What memories said before they were changed."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from crewmem.memories.memory import Memory


class Revision(NamedTuple):
    """What a memory said before.

    Attributes:
        revision: Which, counted from 1.
        title: What it was about.
        content: What it said.
        replaced_at: When that was replaced.
        replaced_by: Who did it, as agent:mira.
        reason: Why; "" if nobody said.
    """

    revision: int
    title: str
    content: str
    replaced_at: datetime
    replaced_by: str
    reason: str


def keep(
    db: apsw.Connection, memory: Memory, *, by: str, at: datetime, reason: str = ""
) -> None:
    """Keep what *memory* says as its latest revision; call it before a change."""
    with explained(db):
        db.execute(
            """
            insert into memory_revisions
                   (memory, revision, title, content, replaced_at, replaced_by, reason)
            select ?1, coalesce(max(revision), 0) + 1, ?2, ?3, ?4, ?5, ?6
              from memory_revisions
             where memory = ?1
            """,
            (memory.seq, memory.title, memory.content, times.to_text(at), by, reason),
        )


def drop(db: apsw.Connection, memory: Memory) -> None:
    """Erase what *memory* said before."""
    with explained(db):
        db.execute("delete from memory_revisions where memory = ?", (memory.seq,))


def of(db: apsw.Connection, memory: Memory) -> list[Revision]:
    """Return the revisions of *memory*, oldest first."""
    sql = """
        select revision, title, content, replaced_at, replaced_by, reason
          from memory_revisions
         where memory = ?
         order by revision
    """
    return [
        Revision(number, title, content, times.from_text(at), by, reason)
        for number, title, content, at, by, reason in fetch(db, sql, (memory.seq,))
    ]
