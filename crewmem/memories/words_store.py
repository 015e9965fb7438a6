"""The words of memories, as a search asks for them."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.memories.store import Filter


class Total(NamedTuple):
    """How much the full text holds."""

    rows: int
    stems: int


def total(db: apsw.Connection) -> Total:
    """Return how many memories the full text has, of whatever owner, and stems."""
    db.register_fts5_function("memory_totals", _totals)
    sql = "select memory_totals(memories_fts) from memories_fts limit 1"
    found = fetch(db, sql)
    rows, stems = found[0][0].split() if found else (0, 0)
    return Total(int(rows), int(stems))


def matching(db: apsw.Connection, expression: str) -> int:
    """Return how many memories, of whatever owner, match *expression*."""
    sql = "select count(*) from memories_fts where memories_fts match ?"
    return int(fetch_one(db, sql, (expression,))[0])


def best(db: apsw.Connection, wanted: Filter, expression: str, limit: int) -> list[int]:
    """Return up to *limit* memories within *wanted* that match, best first.

    Best is by SQLite's bm25; what a title or a label holds counts more.
    """
    where = wanted.where()
    sql = f"""
        select rowid from memories_fts
         where memories_fts match ?
           and rowid in (select seq from memories {where})
         order by bm25(memories_fts, 1.5, 1.0, 1.2), rowid
         limit ?
    """
    values = (expression, *where.values, limit)
    return [seq for (seq,) in fetch(db, sql, values)]


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in range(api.column_count))
    return f"{api.row_count} {stems}"
