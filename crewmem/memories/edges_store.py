"""How memories are related."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch, transaction
from crewmem.db.where import Where, listed
from crewmem.memories.lifecycle import LIVE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    import apsw

    from crewmem.db.links_store import Links
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


def links() -> Links:
    """Return the table, as one of links that may lead to what is gone."""
    from crewmem.db.links_store import Links

    return Links("memory_edges", ("src", "dst"), "memories")


def add(
    db: apsw.Connection,
    src: int,
    dst: int,
    relation: str,
    *,
    by: str,
    at: datetime,
    weight: float = 1.0,
) -> bool:
    """Say that the memory at *src* is related to that at *dst*; once is enough.

    Returns whether nobody had said so yet.
    """
    with explained(db):
        before = db.total_changes()
        db.execute(
            "insert or ignore into memory_edges values (?, ?, ?, ?, ?, ?)",
            (src, dst, relation, round(weight, 6), times.to_text(at), by),
        )
        return db.total_changes() > before


def linkable(db: apsw.Connection, seqs: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Return what is compared of the live ones at *seqs* before they are linked.

    How the hash of what they say begins, as keys of vectors have it; then kind and
    owner, which have to be the same.
    """
    sql = f"""
        select seq, substr(content_hash, 1, 6), kind, scope, agent_id, crew_id
          from memories
         where seq in (select value from json_each(?))
           and status in {LIVE}
    """
    rows = fetch(db, sql, (f"[{listed(seqs)}]",))
    return {seq: tuple(row) for seq, *row in rows}


def add_similar(
    db: apsw.Connection, links: Sequence[tuple[int, int, float]], *, by: str, at: str
) -> int:
    """Say of pairs that they are similar, and how much; return how many are new."""
    sql = """
        insert or ignore into memory_edges
        select ?1, ?2, 'similar', ?3, ?4, ?5
         where (select count(*) from memories where seq in (?1, ?2)) = 2
    """
    if not links:
        return 0
    with transaction(db):
        before = db.total_changes()
        db.executemany(sql, ((src, dst, weight, at, by) for src, dst, weight in links))
        return db.total_changes() - before


def drop_similar(db: apsw.Connection, seq: int) -> None:
    """Drop what said that the memory at *seq* is similar to others of its owner.

    Copies that were shared with several crews stay linked.
    """
    sql = """
        delete from memory_edges
         where relation = 'similar'
           and (src = ?1 or dst = ?1)
           and exists (select 1
                         from memories one join memories other using
                              (scope, agent_id, crew_id)
                        where one.seq = src and other.seq = dst)
    """
    with explained(db):
        db.execute(sql, (seq,))


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


def summaries(db: apsw.Connection, seqs: Collection[int]) -> dict[int, list[int]]:
    """Return what each of *seqs* that is warm is a source of, the oldest first."""
    sql = """
        select dst, src
          from memory_edges
          join memories on seq = dst and status = 'warm'
         where dst in (select value from json_each(?)) and relation = 'derived_from'
         order by dst, src
    """
    found: dict[int, list[int]] = {}
    for seq, summary in fetch(db, sql, (f"[{listed(seqs)}]",)):
        found.setdefault(seq, []).append(summary)
    return found


def taken_back(db: apsw.Connection, seqs: Collection[int]) -> set[int]:
    """Return those of *seqs* that were condensed, and brought back."""
    sql = """
        select dst
          from memory_edges
          join memories on seq = src and subtype = 'cluster' and status = 'archived'
         where dst in (select value from json_each(?)) and relation = 'derived_from'
    """
    return {seq for (seq,) in fetch(db, sql, (f"[{listed(seqs)}]",))}


def has_target(db: apsw.Connection, seq: int, relation: str) -> bool:
    """Tell whether anything is related so to the memory at *seq*."""
    sql = "select 1 from memory_edges where dst = ? and relation = ? limit 1"
    return bool(fetch(db, sql, (seq, relation)))
