"""Edges whose memories are gone, as a program without foreign keys leaves them."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

ORPHANS = """
    from memory_edges
   where not exists (select 1 from memories where seq = src)
      or not exists (select 1 from memories where seq = dst)
"""


def count(db: apsw.Connection) -> int:
    """Return how many edges lead from or to a memory that is not there."""
    return int(fetch_one(db, f"select count(*) {ORPHANS}")[0])


def drop(db: apsw.Connection) -> int:
    """Drop them; return how many. Call it inside a transaction."""
    return len(fetch(db, f"delete {ORPHANS} returning 1"))
