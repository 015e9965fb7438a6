"""How memories are related."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.db.where import Where
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from crewmem.memories.view import View


class Edge(NamedTuple):
    """That one memory is related to another.

    Attributes:
        source: The id of the one.
        target: The id of the other.
        relation: How, as supersedes: the one supersedes the other.
        weight: In [0, 1]; of similar, how much they have in common.
        created_at: When it was said.
        created_by: Who said it.
    """

    source: str
    target: str
    relation: str
    weight: float
    created_at: datetime
    created_by: str


def add(
    db: apsw.Connection,
    src: int,
    dst: int,
    relation: str,
    *,
    by: str,
    at: datetime,
    weight: float = 1.0,
) -> None:
    """Say that the memory at *src* is related to that at *dst*; once is enough."""
    with explained(db):
        db.execute(
            "insert or ignore into memory_edges values (?, ?, ?, ?, ?, ?)",
            (src, dst, relation, round(weight, 6), times.to_text(at), by),
        )


def of(db: apsw.Connection, seq: int, view: View) -> list[Edge]:
    """Return the edges of the memory at *seq* within *view*, oldest first."""
    where = Where()
    view.limit(where)
    sql = f"""
        select one.id, other.id, relation, weight, e.created_at, e.created_by
          from memory_edges e
          join memories one on one.seq = e.src
          join memories other on other.seq = e.dst
         where e.src in (select seq from memories {where})
           and e.dst in (select seq from memories {where})
           and (e.src = ? or e.dst = ?)
         order by e.created_at, one.id, other.id, relation
    """
    values = (*where.values, *where.values, seq, seq)
    return [
        Edge(source, target, relation, weight, times.from_text(at), by)
        for source, target, relation, weight, at, by in fetch(db, sql, values)
    ]


def has_target(db: apsw.Connection, seq: int, relation: str) -> bool:
    """Tell whether anything is related so to the memory at *seq*."""
    sql = "select 1 from memory_edges where dst = ? and relation = ? limit 1"
    return bool(fetch(db, sql, (seq, relation)))
