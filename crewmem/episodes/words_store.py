"""The episodes of a scope and their words. The only SQL that asks the full text."""

from __future__ import annotations

from math import ceil

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import apsw

    from crewmem.hybrid.words import Sides, Text

WIDER = 4
"""Times as many are looked at first, at most, as are wanted: most homes have one
workspace, and most of what matches is an episode in it."""

SPARE = 1.2
"""The same where all that matches is in scope: some of it may be over."""

ACTORS_MOST = 1_000
"""Actors that may be named in a question: more are ids of machines."""

IS_OVER = """
    exists (select 1 from journal_entries indexed by journal_expiring
             where seq = {} and expires_at is not null and expires_at <= :now)
"""
"""Whether an entry had an end, which has come."""

IS_OUTSIDE = """
    exists (select 1 from journal_entries
             where seq = {} and not (ts >= :since and ts < :until))
"""
"""Whether an entry is of another time than is asked for."""

ALWAYS = ("", "\U0010ffff")
"""Before and after every time, as they are stored."""

NEAR = """
    (select group_concat(seq, ' ')
       from (select near.seq
               from journal_entries near
               join episodes e on e.seq = near.seq and +e.owner in ({owners})
              where near.workspace_id = this.workspace_id
                and near.trace_id = this.trace_id
                and (near.ts, near.seq) {side} (this.ts, this.seq)
                and not ({is_out})
              order by near.ts {order}, near.seq {order}
              limit :count))
"""
"""The episodes on one side of an entry in its session, nearest first.

They are joined in the order of the inner query, which its limit holds it to: to have
them sorted again takes a third of the time. `owner` is asked for with a plus, here and
below, as the rows are found by their places: by the index of owners each of a hundred
would be looked for once for each owner, all over it.
"""


class Words:
    """The episodes of some owners, as of some time, and their words.

    What has expired by then is not there, nor what is not of the *period* that is
    asked for: its beginning and its end, which is not in it.

    Attributes:
        owners: Whose.
    """

    def __init__(
        self,
        db: apsw.Connection,
        owners: Sequence[int],
        now: str,
        period: tuple[str, str] = ALWAYS,
    ) -> None:
        self.owners = owners
        self._db, self._owners = db, _listed(owners)
        self._times = {"now": now, "since": period[0], "until": period[1]}
        self._is_dated = period != ALWAYS
        self._totals: tuple[int, int] | None = None
        self._count: int | None = None
        self._ends: bool | None = None

    # How many there are

    def totals(self) -> tuple[int, int]:
        """Return how many entries the full text has, of whatever owner, and stems."""
        if self._totals is None:
            self._db.register_fts5_function("entry_totals", _totals)
            name = "journal_entries_fts"
            sql = f"select entry_totals({name}) from {name} limit 1"
            found = fetch(self._db, sql)
            rows, stems = found[0][0].split() if found else (0, 0)
            self._totals = int(rows), int(stems)
        return self._totals

    def count(self) -> int:
        """Return how many episodes there are, those that have expired among them."""
        if self._count is None:
            sql = f"""
                select coalesce(sum(episodes), 0) from owners
                 where id in ({self._owners})
            """
            self._count = int(fetch_one(self._db, sql)[0])
        return self._count

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

    # Which they are

    def among(self, seqs: Collection[int]) -> set[int]:
        """Return those of *seqs* that are episodes of the owners, and not over."""
        sql = f"""
            select seq from episodes e
             where seq in ({_listed(seqs)})
               and +owner in ({self._owners})
               and not ({self._is_out("e.seq")})
        """
        return {seq for (seq,) in fetch(self._db, sql, self._times)}

    def best(self, expression: str, limit: int) -> list[int]:
        """Return up to *limit* episodes that match *expression*, best first.

        Best is by SQLite's bm25, whose counts are of the whole full text.
        """
        found: list[int] = []
        for condition, count in self._looks(limit):
            some = self._ranked(expression, condition, count)
            found = []
            for at in range(0, len(some), limit):
                mine = self.among(some[at : at + limit])
                found += [seq for seq in some[at : at + limit] if seq in mine]
                if len(found) >= limit:
                    return found[:limit]
            if len(some) < count:
                break
        return found

    def _looks(self, limit: int) -> Iterator[tuple[str, int]]:
        """Yield conditions on what is ranked, each with how many to rank.

        To ask of each that matches whether it is in scope takes longer than to rank
        more: that is done where few of them are, or what was found did not do.
        """
        mine, every = self.count(), self.totals()[0]
        if mine * WIDER >= every:
            wider = min(SPARE * every / mine, WIDER) if mine else SPARE
            yield "true", ceil(wider * limit)
        yield self._is_mine, limit
        out = self._is_out("journal_entries_fts.rowid")
        yield f"{self._is_mine} and not ({out})", limit

    def _ranked(self, expression: str, condition: str, limit: int) -> list[int]:
        rows = fetch(
            self._db,
            f"""
            select rowid
              from journal_entries_fts
             where journal_entries_fts match :expression
               and {condition}
             order by bm25(journal_entries_fts), rowid
             limit :limit
            """,
            {"expression": expression, "limit": limit, **self._times},
        )
        return [seq for (seq,) in rows]

    @property
    def _is_mine(self) -> str:
        return f"""
            exists (select 1 from episodes
                     where seq = journal_entries_fts.rowid
                       and +owner in ({self._owners}))
        """

    def _is_out(self, seq: str) -> str:
        """Return the condition that the entry at *seq* is over, or of another time.

        To ask that of a thousand entries takes two milliseconds, and in most journals
        there is none that has an end.
        """
        if self._ends is None:
            sql = """
                select 1 from journal_entries indexed by journal_expiring
                 where expires_at is not null limit 1
            """
            self._ends = bool(fetch(self._db, sql))
        asked = [IS_OVER] if self._ends else []
        asked += [IS_OUTSIDE] if self._is_dated else []
        return " or ".join(each.format(seq) for each in asked) or "false"

    # What they say, and what is around them

    def texts(self, seqs: Collection[int]) -> list[Text]:
        """Return the texts of *seqs*; they are of rows that the caller may see."""
        sql = f"""
            select seq, summary || char(10) || payload_text, coalesce(actor_id, ''),
                   coalesce(trace_id, ''), ts,
                   substr(rtrim(summary, char(9, 10, 13, 32)), -1) = '?'
              from journal_entries
             where seq in ({_listed(seqs)})
        """
        return fetch(self._db, sql)

    def beside(self, seqs: Collection[int], count: int) -> dict[int, Sides]:
        """Return up to *count* episodes on each side of each of *seqs* in its session.

        By time, then place; what is not in scope is not there. Hundreds are asked
        for: a statement for each side of each took as long as all else in a search.
        """
        columns = ", ".join(
            NEAR.format(
                side=side,
                order=order,
                owners=self._owners,
                is_out=self._is_out("near.seq"),
            )
            for side, order in (("<", "desc"), (">", "asc"))
        )
        sql = f"""
            select seq, {columns} from journal_entries this
             where seq in ({_listed(seqs)})
        """
        return {
            seq: (
                [int(each) for each in before.split()] if before else [],
                [int(each) for each in after.split()] if after else [],
            )
            for seq, before, after in fetch(
                self._db, sql, {"count": count, **self._times}
            )
        }

    def actors(self, workspace: str) -> list[str]:
        """Return who did or said something in *workspace*, by name; not all of many."""
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
            select name from names where name is not null limit ?2
            """,
            (workspace, ACTORS_MOST),
        )
        return [name for (name,) in rows]


def _listed(numbers: Collection[int]) -> str:
    """Return *numbers* for a list in SQL: they are our own, and may be thousands."""
    return ",".join(map(str, map(int, numbers)))


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in range(api.column_count))
    return f"{api.row_count} {stems}"
