"""A store with the filters of one search."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from crewmem.documents import Document
from crewmem.protocols import SearchStore
from crewmem.times import format_time

MAX_MATCHED = 10_000
"""Maximum matches that are checked against the rows that may be found."""

Sides = tuple[Sequence[int], Sequence[int]]
"""Keys before a row and after it in its group, nearest first."""

SCOPE_FILTERS = ("scope", "agent", "crew")


class Source:
    """A store with the filters of one search.

    Attributes:
        name: ``memory``, ``facts``, ``journal`` or ``sessions``.
        collection: Name of its vectors; None without vectors.
        among: Rows that may be found; None for all.
    """

    def __init__(
        self,
        name: str,
        store: SearchStore,
        *,
        collection: tuple[str, str] | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.store, self.collection = name, store, collection
        self.among: frozenset[int] | None = None
        self.filters = {k: v for k, v in (filters or {}).items() if v is not None}

    def documents(self, keys: Iterable[int]) -> dict[int, Document]:
        return {each.key: each for each in self.store.documents(sorted(keys))}

    def match(self, expression: str, limit: int) -> list[tuple[int, float]]:
        """Return (key, bm25) of the rows that match *expression* best."""
        if self.among is None:
            return self.store.match(expression, limit, **self.filters)
        found = self.store.match(expression, MAX_MATCHED, **self.filters)
        return [row for row in found if row[0] in self.among][:limit]

    def within(self, since: str, until: str, expression: str, limit: int) -> list[int]:
        """Return rows of a time: those that match *expression* best, then the newest.

        Args:
            since, until: Stored times; the filters may narrow them.
        """
        filters = {
            **self.filters,
            "since": max(since, _get_time(self.filters.get("since")) or since),
            "until": min(until, _get_time(self.filters.get("until")) or until),
        }
        found = []
        if expression:
            found = [key for key, _ in self.store.match(expression, limit, **filters)]
        found += self.store.newest(limit, of_day=True, **filters)
        return [key for key in found if self.among is None or key in self.among]

    def newest(self, limit: int) -> Sequence[int]:
        """Return the newest rows."""
        return self.store.newest(limit, **self.filters)

    def frequencies(self, terms: Collection[str]) -> Mapping[str, int]:
        """Return how many rows in scope contain each of *terms*."""
        return self.store.frequencies(terms, **self._scope()) if terms else {}

    def complete(self, beginning: str, limit: int) -> Sequence[str]:
        """Return stems that begin so, of rows in any scope."""
        return self.store.complete(beginning, limit)

    def count(self) -> int:
        return self.store.count(**self.filters)

    def is_part(self) -> bool:
        """Return whether the actor may read, or searches, only a part of the store's rows."""
        return self.store.count(**self._scope()) < self.store.count_all()

    def keep_visible(self, vector_keys: Collection[int]) -> Collection[int]:
        """Return those *vector_keys* that belong to rows in scope."""
        return set(self.store.keys_of_vectors(vector_keys, **self._scope()))

    def _scope(self) -> dict[str, Any]:
        """Return the filters for the owners of rows, without those for single rows."""
        return {name: self.filters[name] for name in SCOPE_FILTERS if name in self.filters}

    def keys_of_vectors(self, vector_keys: Collection[int]) -> Mapping[int, Sequence[int]]:
        if not vector_keys:
            return {}
        found = self.store.keys_of_vectors(vector_keys, **self.filters)
        if self.among is None:
            return found
        return {key: [row for row in rows if row in self.among] for key, rows in found.items()}

    def neighbours(self, keys: Collection[int], count: int) -> Mapping[int, Sides]:
        """Return the rows around *keys*; none if the store has no such order."""
        return self.store.neighbours(sorted(keys), count, **self.filters) if keys else {}

    def keys_of_entity(self, entity: str) -> Sequence[int]:
        """Return the rows in scope that people labelled with *entity*."""
        return self.store.keys_of_entity(**{**self.filters, "entity": entity})

    def authors(self) -> Sequence[str]:
        return self.store.authors()

    def mean_words(self) -> float:
        return self.store.mean_words()


def _get_time(value: datetime | str | None) -> str | None:
    return format_time(value) if isinstance(value, datetime) else value
