"""Full text of a store: one FTS5 table, queried in two steps.

The first step finds the best rows by bm25, as rowids. The second filters these few rows. That is
1.3 to 1.7 times as fast as one query with a join. `text.tokens.search_text` prepares the texts.
Expressions come from `search.query`, never directly from what somebody typed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from crewmem.access import Filter
from crewmem.storage.sqlite import Database

if TYPE_CHECKING:
    import apsw

WIDEST = 4.0
"""Maximum factor of extra rows to rank; beyond it the filter checks all matching rows."""

MAX_COUNTED = 5_000
"""Maximum rows of a word that are counted one by one."""

SPARE = 1.25
"""Factor of rows that are ranked first, because the filter may drop a few."""


class FullText:
    """An FTS5 table.

    Attributes:
        table: Its name.
    """

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self.table = table
        self._has_function = False

    def match(
        self,
        expression: str,
        *,
        join: str,
        filter: Filter,  # noqa: A002 - what it is
        limit: int,
        share: float = 1.0,
    ) -> list[tuple[int, float]]:
        """Return (rowid, bm25) of the best rows that match and pass *filter*, best first.

        bm25 is negative; lower is better. Rows of equal bm25 are in the order of rowids.

        Args:
            expression: FTS5 expression.
            join: Tables that *filter* uses, joined to ``hits.key``, the rowid:
                ``facts on facts.rowid = hits.key``.
            filter: Condition with its parameters.
            limit: Maximum number of rows.
            share: Estimated share of rows that pass the filter. It decides how the query runs, but
                not what it returns.
        """
        if share * WIDEST >= 1.0:
            count = int(limit / share * SPARE) + 1
            ranked: list[tuple[int, float]] = self._db.all(
                f"select rowid, bm25({self.table}) from {self.table}"
                f" where {self.table} match :expression"
                " order by 2, 1 limit :count",
                {"expression": expression, "count": count},
            )
            passed = self.passing([key for key, _ in ranked], join=join, filter=filter)
            found = [row for row in ranked if row[0] in passed]
            if len(found) >= limit or len(ranked) < count:
                return found[:limit]
        return self._db.all(
            "with hits (key, score) as materialized"
            f" (select rowid, bm25({self.table}) from {self.table}"
            f" where {self.table} match :expression)"
            f" select hits.key, hits.score from hits join {join} where {filter.sql}"
            " order by hits.score, hits.key limit :limit",
            {"expression": expression, "limit": limit, **filter.params},
        )

    def passing(
        self,
        keys: Collection[int],
        *,
        join: str,
        filter: Filter,  # noqa: A002 - as in match
    ) -> set[int]:
        """Return those *keys* that pass *filter*."""
        rows = self._db.execute(
            "with hits (key) as (select value from json_each(:hit_keys))"
            f" select hits.key from hits cross join {join} where {filter.sql}",
            {"hit_keys": json.dumps(list(keys)), **filter.params},
        )
        return {key for (key,) in rows}

    def frequencies(
        self,
        stems: Collection[str],
        *,
        join: str = "",
        filter: Filter | None = None,  # noqa: A002 - as in match
        share: float = 1.0,
    ) -> dict[str, int]:
        """Return how many rows contain each of *stems*; a stem without rows is left out.

        With *filter* only rows that pass it count; otherwise the answer would reveal words of
        texts that the actor may not read. For very common words *share* estimates the number.
        """
        rows = self._db.all(
            f"select term, doc from {self._open_vocabulary('row')}"
            f" where term in ({', '.join('?' * len(stems))})",
            tuple(stems),
        )
        if filter is None or not rows:
            return dict(rows)
        found = {stem: max(1, round(count * share)) for stem, count in rows if count > MAX_COUNTED}
        rare = [stem for stem, count in rows if count <= MAX_COUNTED]
        counted = self._db.execute(
            "with hits (stem, key) as materialized"
            f" (select distinct term, doc from {self._open_vocabulary('instance')}"
            " where term in (select value from json_each(:rare_stems)))"
            f" select hits.stem, count(*) from hits cross join {join} where {filter.sql}"
            " group by hits.stem",
            {"rare_stems": json.dumps(rare), **filter.params},
        )
        return found | dict(counted)

    def _open_vocabulary(self, kind: str) -> str:
        """Return the name of the vocabulary table, with one row a stem or one an ``instance``."""
        name = f"temp.{self.table}_{kind}"
        self._db.execute(
            f"create virtual table if not exists {name} using fts5vocab(main, {self.table}, {kind})"
        )
        return name

    def has_phrase(self, words: Sequence[str]) -> bool:
        """Tell whether any row, whoever may read it, contains *words* as a phrase."""
        quoted = " ".join(word.replace('"', '""') for word in words)
        sql = f"select 1 from {self.table} where {self.table} match ? limit 1"
        return bool(quoted) and self._db.value(sql, (f'"{quoted}"',)) is not None

    def has_two_of(self, words: Sequence[str]) -> bool:
        """Tell whether any row, whoever may read it, contains two of *words* (without quotes)."""
        pairs = " OR ".join(f'("{one}" AND "{other}")' for one, other in combinations(words, 2))
        sql = f"select 1 from {self.table} where {self.table} match ? limit 1"
        return bool(pairs) and self._db.value(sql, (pairs,)) is not None

    def count(self) -> int:
        """Return how many rows there are."""
        return self.totals()[0]

    def mean_words(self) -> float:
        """Return the mean number of stems of a row; 0 without rows."""
        rows, stems = self.totals()
        return stems / rows if rows else 0.0

    def totals(self) -> tuple[int, int]:
        """Return the number of rows, and the total number of stems, as FTS5 counts them."""
        if not self._has_function:
            self._db.connection.register_fts5_function("crewmem_totals", _read_totals)
            self._has_function = True
        found = self._db.value(f"select crewmem_totals({self.table}) from {self.table} limit 1")
        rows, _, stems = (found or "0 0").partition(" ")
        return int(rows), int(stems)


def _read_totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in range(api.column_count))
    return f"{api.row_count} {stems}"
