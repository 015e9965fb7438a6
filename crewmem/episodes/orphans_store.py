"""Relations whose entries are gone, as a program without foreign keys leaves them."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

ORPHANS = """
    from memory_relations
   where not exists (select 1 from journal_entries where seq = src_seq)
      or not exists (select 1 from journal_entries where seq = dst_seq)
"""


def count(db: apsw.Connection) -> int:
    """Return how many relations lead from or to an entry that is not there."""
    return int(fetch_one(db, f"select count(*) {ORPHANS}")[0])


def drop(db: apsw.Connection) -> int:
    """Drop them; return how many. Call it inside a transaction."""
    return len(fetch(db, f"delete {ORPHANS} returning 1"))
