"""What bundles carry of episodes and relations, as it is read and put back."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch
from crewmem.episodes.relation import Kind
from crewmem.episodes.store import IMPORTANCE
from crewmem.journal.chain import encoded
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw


class Delivered(NamedTuple):
    """An episode, and how often it was delivered into a prompt.

    Attributes:
        id: Its entry.
        indexed_ms: When it first could be recalled, in milliseconds of Unix time.
        references: How often.
        last_referenced_at: When that was last; None for never.
    """

    id: str
    indexed_ms: int
    references: int
    last_referenced_at: str | None


class Link(NamedTuple):
    """A relation that somebody made; what vectors say is made of them anew.

    Attributes:
        src: The id of the entry that it leads from.
        dst: Of the entry that it leads to.
        weight: In [0, 1].
    """

    src: str
    dst: str
    relation: str
    weight: float
    created_at: str


def delivered(db: apsw.Connection, workspace: str) -> Iterator[Delivered]:
    """Yield the episodes of *workspace*, by their place."""
    sql = """
        select j.id, e.indexed_ms, e.reference_count, e.last_referenced_at
          from episodes e
          join journal_entries j on j.seq = e.seq
         where j.workspace_id = ?
         order by e.seq
    """
    with explained(db):
        for row in db.execute(sql, (workspace,)):
            yield Delivered._make(row)


def links(db: apsw.Connection, workspace: str) -> list[Link]:
    """Return the relations within *workspace* that somebody made, by their ends."""
    sql = """
        select s.id, d.id, r.relation, r.weight, r.created_at
          from memory_relations r
          join journal_entries s on s.seq = r.src_seq
          join journal_entries d on d.seq = r.dst_seq
         where s.workspace_id = ?1 and d.workspace_id = ?1 and r.relation <> ?2
         order by 1, 2, 3
    """
    return [Link._make(row) for row in fetch(db, sql, (workspace, Kind.SIMILAR))]


def places(db: apsw.Connection, workspace: str, ids: Iterable[str]) -> dict[str, int]:
    """Return the places of those of *ids* that are entries of *workspace*."""
    sql = """
        select id, seq from journal_entries
         where workspace_id = ? and id in (select value from json_each(?))
    """
    return dict(fetch(db, sql, (workspace, encoded([*ids]))))


def add_links(
    db: apsw.Connection, seqs: Mapping[str, int], found: Iterable[Link]
) -> int:
    """Add relations, of which those that are there stay; return how many are new.

    *seqs* are the places of all their ends. Call it inside a transaction.
    """
    before = db.total_changes()
    sql = """
        insert into memory_relations (src_seq, dst_seq, relation, weight, created_at)
        values (?, ?, ?, ?, ?)
        on conflict do nothing
    """
    rows = [(seqs[each.src], seqs[each.dst], *each[2:]) for each in found]
    with explained(db):
        db.executemany(sql, rows)
    return db.total_changes() - before


def believe(
    db: apsw.Connection, seqs: Mapping[str, int], found: Collection[Delivered], now: int
) -> int:
    """Let episodes be as they are told, where they were delivered no more often here.

    *seqs* are their places. Returns how many were other than that. Call it inside a
    transaction.
    """
    before = db.total_changes()
    sql = """
        update episodes
           set indexed_ms = ?1, reference_count = ?2, last_referenced_at = ?3
         where seq = ?4 and reference_count <= ?2
           and (indexed_ms, reference_count, last_referenced_at) is not (?1, ?2, ?3)
    """
    with explained(db):
        db.executemany(sql, [(*each[1:], seqs[each.id]) for each in found])
        changed = db.total_changes() - before
        listed = ",".join(str(seqs[each.id]) for each in found)
        db.execute(
            f"update episodes set importance_score = {IMPORTANCE}"
            f" where seq in ({listed})",
            {"now": now},
        )
    return changed
