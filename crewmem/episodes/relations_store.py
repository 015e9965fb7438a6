"""The relations between entries, as they are kept; for bundles see `carried_store`."""

from __future__ import annotations

from itertools import islice

from crewmem.db.connect import explained, fetch, transaction
from crewmem.episodes.relation import Edge
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import apsw

    from crewmem.db.links_store import Links
    from crewmem.scope import Reach


class Related(NamedTuple):
    """An edge as it is listed.

    Attributes:
        src_entry_id: The entry that it leads from.
        dst_entry_id: The entry that it leads to.
        relation: ``similar``, ``supports`` or ``contradicts``.
        weight: In [0, 1]; of ``similar`` the cosine.
        created_at: When it was made.
    """

    src_entry_id: str
    dst_entry_id: str
    relation: str
    weight: float
    created_at: str


def links() -> Links:
    """Return the table, as one of links that may lead to what is gone."""
    from crewmem.db.links_store import Links

    return Links("memory_relations", ("src_seq", "dst_seq"), "journal_entries")


class Relations:
    """The edges between entries."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, edges: Iterable[Edge], at: str) -> int:
        """Add *edges*, of which those that are there stay; return how many are new."""
        before = self._db.total_changes()
        with transaction(self._db), explained(self._db):
            self._db.executemany(
                """
                insert into memory_relations
                    (src_seq, dst_seq, relation, weight, created_at)
                select ?1, ?2, ?3, ?4, ?5
                 where exists (select 1 from journal_entries where seq = ?1)
                   and exists (select 1 from journal_entries where seq = ?2)
                on conflict do nothing
                """,
                ((*edge, at) for edge in edges),
            )
        return self._db.total_changes() - before

    def forget_similar(self, workspace: str) -> None:
        """Drop what vectors said of which entries of *workspace* are alike."""
        with transaction(self._db):
            self._db.execute(
                """
                delete from memory_relations
                 where relation = 'similar'
                   and src_seq in (select seq from journal_entries
                                    where workspace_id = ?)
                """,
                (workspace,),
            )

    def of(self, seqs: Collection[int], relation: str) -> list[Edge]:
        """Return the edges of one *relation* at any of *seqs*, heaviest first."""
        listed = ",".join(map(str, map(int, seqs)))
        columns = "src_seq, dst_seq, relation, weight"
        sql = f"""
            select {columns} from memory_relations
             where src_seq in ({listed}) and relation = ?1
            union
            select {columns} from memory_relations
             where dst_seq in ({listed}) and relation = ?1
             order by 4 desc, 1, 2
        """
        return [Edge(*row) for row in fetch(self._db, sql, (relation,))]

    def listed(
        self,
        reach: Reach,
        *,
        seq: int | None = None,
        relation: str | None = None,
        limit: int,
    ) -> list[Related]:
        """Return up to *limit* edges, newest first, both of whose ends may be seen.

        Args:
            seq: Only edges at this entry.
            relation: Only edges of this kind.
        """
        sql = """
            select s.id, d.id, r.relation, r.weight, r.created_at,
                   s.crew_id, s.agent_id, d.crew_id, d.agent_id
              from memory_relations r
              join journal_entries s on s.seq = r.src_seq
              join journal_entries d on d.seq = r.dst_seq
             where s.workspace_id = ?1 and d.workspace_id = ?1
               and (?2 is null or r.src_seq = ?2 or r.dst_seq = ?2)
               and (?3 is null or r.relation = ?3)
             order by r.created_at desc, r.src_seq desc, r.dst_seq desc, r.relation
        """
        with explained(self._db):
            rows = self._db.execute(sql, (reach.workspace, seq, relation))
            seen = (
                Related(*row[:5])
                for row in rows
                if reach.sees(row[5], row[6]) and reach.sees(row[7], row[8])
            )
            return list(islice(seen, limit))
