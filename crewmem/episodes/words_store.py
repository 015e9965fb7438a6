"""The words of episodes, in the full text of the journal. The only SQL that asks it."""

from __future__ import annotations

from typing import NamedTuple

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import apsw

WIDER = 4
"""Times as many are looked at first as are wanted: most homes have one workspace, and
most of what matches is an episode in it."""

FEW = 20_000
"""Episodes of a scope up to which words are counted in it alone."""


class Text(NamedTuple):
    """What of an entry its words are matched in, and what it stands beside.

    Attributes:
        seq: Its place in the journal.
        summary: What happened.
        more: The values of its payload.
        actor: Who did or said it; "" if nobody knows.
        session: Its trace_id; "" for none.
        at: When it happened, as stored.
    """

    seq: int
    summary: str
    more: str
    actor: str
    session: str
    at: str


class Words:
    """The words of the episodes of some owners."""

    def __init__(self, db: apsw.Connection, owners: Sequence[int]) -> None:
        self._db, self._owners = db, ",".join(map(str, map(int, owners)))

    def totals(self) -> tuple[int, int]:
        """Return how many entries the full text has, of whatever owner, and stems."""
        self._db.register_fts5_function("entry_totals", _totals)
        sql = (
            "select entry_totals(journal_entries_fts) from journal_entries_fts limit 1"
        )
        found = fetch(self._db, sql)
        rows, stems = found[0][0].split() if found else (0, 0)
        return int(rows), int(stems)

    def count(self) -> int:
        """Return how many episodes there are."""
        sql = f"select count(*) from episodes where owner in ({self._owners})"
        return int(fetch_one(self._db, sql)[0])

    def holding(self, stems: Collection[str]) -> dict[str, int]:
        """Return how many entries hold each of *stems*, of whatever owner."""
        marks = ",".join("?" * len(stems))
        sql = f"select term, doc from journal_vocabulary where term in ({marks})"
        return dict(fetch(self._db, sql, tuple(stems)))

    def matching(self, expression: str) -> int:
        """Return how many of the episodes match *expression*."""
        sql = f"""
            select count(*)
              from journal_entries_fts
             where journal_entries_fts match ?
               and {self._is_mine}
        """
        return int(fetch_one(self._db, sql, (expression,))[0])

    def best(self, expression: str, limit: int) -> list[int]:
        """Return up to *limit* episodes that match *expression*, best first.

        Best is by SQLite's bm25, whose counts are of the whole full text.
        """
        some = self._ranked(expression, "true", WIDER * limit)
        sql = f"""
            select seq from episodes
             where seq in ({",".join(map(str, some))}) and owner in ({self._owners})
        """
        mine = {seq for (seq,) in fetch(self._db, sql)}
        found = [seq for seq in some if seq in mine]
        if len(found) < limit and len(some) == WIDER * limit:
            found = self._ranked(expression, self._is_mine, limit)
        return found[:limit]

    def _ranked(self, expression: str, condition: str, limit: int) -> list[int]:
        rows = fetch(
            self._db,
            f"""
            select rowid
              from journal_entries_fts
             where journal_entries_fts match ?
               and {condition}
             order by bm25(journal_entries_fts), rowid
             limit ?
            """,
            (expression, limit),
        )
        return [seq for (seq,) in rows]

    @property
    def _is_mine(self) -> str:
        return f"""
            exists (select 1 from episodes
                     where seq = journal_entries_fts.rowid
                       and owner in ({self._owners}))
        """

    def texts(self, seqs: Collection[int]) -> dict[int, Text]:
        """Return the texts of *seqs*; they are of rows that the caller may see."""
        listed = ",".join(map(str, map(int, seqs)))
        sql = f"""
            select seq, summary, payload_text, coalesce(actor_id, ''),
                   coalesce(trace_id, ''), ts
              from journal_entries
             where seq in ({listed})
        """
        return {row[0]: Text(*row) for row in fetch(self._db, sql)}

    def beside(self, seq: int, count: int) -> tuple[list[int], list[int]]:
        """Return up to *count* episodes before and after *seq* in its session.

        Nearest first, by time, then place; what the owners' scope does not hold is
        not there.
        """
        return self._beside(seq, "<", "desc", count), self._beside(seq, ">", "", count)

    def _beside(self, seq: int, side: str, order: str, count: int) -> list[int]:
        rows = fetch(
            self._db,
            f"""
            select near.seq
              from journal_entries this
              join journal_entries near
                on near.workspace_id = this.workspace_id
               and near.trace_id = this.trace_id
               and (near.ts, near.seq) {side} (this.ts, this.seq)
              join episodes e on e.seq = near.seq and e.owner in ({self._owners})
             where this.seq = ?
             order by near.ts {order}, near.seq {order}
             limit ?
            """,
            (seq, count),
        )
        return [near for (near,) in rows]

    def actors(self, workspace: str) -> list[str]:
        """Return who did or said something in *workspace*, by name."""
        # A step of the recursion is a seek in the index: there are few names.
        rows = fetch(
            self._db,
            """
            with recursive names (name) as (
                select min(actor_id) from journal_entries
                 where workspace_id = ?1 and actor_id is not null
                union all
                select (select min(actor_id) from journal_entries
                         where workspace_id = ?1 and actor_id > name)
                  from names
                 where name is not null
            )
            select name from names where name is not null
            """,
            (workspace,),
        )
        return [name for (name,) in rows]


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in range(api.column_count))
    return f"{api.row_count} {stems}"
