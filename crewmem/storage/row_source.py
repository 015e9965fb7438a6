"""A table of the home's database as a source for search: its full text and its vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from crewmem.access import Filter
from crewmem.context import Context
from crewmem.protocols import SearchStore, VectorSource
from crewmem.storage.fulltext import FullText


class RowSource(SearchStore, VectorSource):
    """The rows of a table that the actor may read. A subclass sets the attributes.

    Attributes:
        table: The table; it has a column ``vector_key``.
        key: Its column that is the key of the full text.
        newest_first: The order of its newest rows, in SQL.
        text_table: Table of the full text.
    """

    table: str
    key: str
    newest_first: str
    text_table: str

    def __init__(self, context: Context) -> None:
        self.context = context

    @cached_property
    def full_text(self) -> FullText:
        """The full text."""
        return FullText(self.context.db, self.text_table)

    @abstractmethod
    def narrow(self, filters: Mapping[str, Any]) -> tuple[str, Filter]:
        """Return the tables to join to `table`, and the condition for rows in scope."""

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        rows = self.full_text.count()
        if not rows:
            return []
        tables, condition = self.narrow(filters)
        return self.full_text.match(
            expression,
            join=f"{self.table} on {self.key} = hits.key {tables}",
            condition=condition,
            limit=limit,
            share=min(1.0, self.count(**filters) / rows),
        )

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        rows, found = self.full_text.count(), self.count(**filters)
        if found >= rows:
            return self.full_text.frequencies(terms)
        tables, condition = self.narrow(filters)
        return self.full_text.frequencies(
            terms,
            join=f"{self.table} on {self.key} = hits.key {tables}",
            condition=condition,
            share=found / rows,
        )

    def complete(self, beginning: str, limit: int) -> list[str]:
        return self.full_text.complete(beginning, limit)

    def newest(self, limit: int, *, of_day: bool = False, **filters: Any) -> list[int]:
        tables, condition = self.narrow(filters)
        return self.context.db.column(
            f"select {self.key} from {self.table} {tables} where {condition.sql}"
            f" order by {self.newest_first} limit :limit",
            {**condition.params, "limit": limit},
        )

    def count_all(self) -> int:
        return self.full_text.count()

    def mean_words(self) -> float:
        return self.full_text.mean_words()

    def keys_of_vectors(
        self, vector_keys: Collection[int], **filters: Any
    ) -> Mapping[int, Sequence[int]]:
        return self.visible_vector_keys(vector_keys, **filters)

    def visible_vector_keys(
        self, wanted: Collection[int] | None = None, /, **filters: Any
    ) -> Mapping[int, Sequence[int]]:
        """Return the rows in scope by the key of their vector: all, or those with *wanted*."""
        tables, condition = self.narrow(filters)
        first, params = self.table, dict(condition.params)
        if wanted is not None:
            first = (
                f"json_each(:keys) wanted cross join {self.table}"
                f" on {self.table}.vector_key = wanted.value"
            )
            params["keys"] = wanted
        return self.context.db.group(
            f"select {self.table}.vector_key, {self.key} from {first} {tables}"
            f" where {condition.sql} order by {self.key}",
            params,
        )
