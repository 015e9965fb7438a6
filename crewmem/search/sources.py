"""What search needs of a store, and the adapters that give it.

A store implements `Store` for its own rows, inside the actor's access filter. `Source` binds it to
the filters of one search. Rows are named by their key in the store's full text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from crewmem.documents import Document

MOST_MATCHED = 10_000
"""Matches that are looked through for rows that may be found."""

Sides = tuple[Sequence[int], Sequence[int]]
"""Keys before a row and after it in its group, nearest first."""


SCOPE_FILTERS = ("scope", "agent", "crew")


class Store(Protocol):
    """A store that can be searched. Optional methods are marked; `Source` knows defaults.

    Filters: since, until, kinds, agent, crew, scope, tags, session, as_of, deep, project,
    include_restricted … A store accepts those that it has and ignores those that are None.
    """

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return the records of *keys*, in any order; those that are gone are left out."""
        ...

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        """Return (key, bm25) of rows that match an FTS5 expression, best first."""
        ...

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        """Return how many rows in scope hold each of *terms*, which are stems; absent is 0."""
        ...

    def count(self, **filters: Any) -> int:
        """Return how many rows can be found."""
        ...

    def keys_of_vectors(
        self, vector_keys: Collection[int], **filters: Any
    ) -> Mapping[int, Sequence[int]]:
        """Return the visible rows that have each of *vector_keys*; several may share a text."""
        ...

    # Optional:
    #
    # neighbours(keys, count=3) -> Mapping[int, Sides]
    #     Up to *count* rows before and after each row in its group (session, trace), nearest
    #     first. Stores whose rows do not follow each other leave it out.
    # count_all() -> int
    #     Rows that `frequencies` counts, when these are more than those in scope.
    # authors() -> Sequence[str]
    #     Names of those who wrote rows, for questions such as "what did Ada say about …".
    # mean_words() -> float
    #     Mean number of stems of a row; 0 when unknown.
    # start_anew(error) -> bool
    #     Discard an index that is damaged, as *error* says, when it can be made again; returns
    #     whether the search is worth repeating.


class Source:
    """A store with the filters of one search.

    Attributes:
        name: ``memory``, ``facts``, ``journal`` or ``sessions``.
        collection: Of its vectors; None when it has none.
        among: Rows that may be found; None for all.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        *,
        collection: tuple[str, str] | None = None,
        filters: Mapping[str, Any] | None = None,
        among: frozenset[int] | None = None,
    ) -> None:
        self.name, self.store, self.collection, self.among = name, store, collection, among
        self.filters = {k: v for k, v in (filters or {}).items() if v is not None}

    def with_filters(self, **filters: Any) -> Source:
        """Return the same store with further filters; None and empty ones are left out."""
        merged = {**self.filters, **{k: v for k, v in filters.items() if v not in (None, (), [])}}
        return Source(
            self.name, self.store, collection=self.collection, filters=merged, among=self.among
        )

    def documents(self, keys: Iterable[int]) -> dict[int, Document]:
        return {each.key: each for each in self.store.documents(sorted(keys))}

    def match(self, expression: str, limit: int) -> list[int]:
        """Return the keys of the rows that match *expression* best."""
        if self.among is None:
            return [key for key, _ in self.store.match(expression, limit, **self.filters)]
        found = self.store.match(expression, MOST_MATCHED, **self.filters)
        return [key for key, _ in found if key in self.among][:limit]

    def frequencies(self, terms: Collection[str]) -> Mapping[str, int]:
        """Return how many rows in scope hold each of *terms*."""
        return self.store.frequencies(terms, **self._scope()) if terms else {}

    def count(self) -> int:
        return self.store.count(**self.filters)

    def is_part(self) -> bool:
        """Tell whether the actor may read, or asks for, a part of the store's rows only."""
        count_all = getattr(self.store, "count_all", None)
        return count_all is not None and self.store.count(**self._scope()) < count_all()

    def keep_visible(self, vector_keys: Collection[int]) -> Collection[int]:
        """Return those of *vector_keys* that are of rows in scope."""
        return set(self.store.keys_of_vectors(vector_keys, **self._scope()))

    def _scope(self) -> dict[str, Any]:
        """Return the filters that say whose rows are meant, not which of them."""
        return {name: self.filters[name] for name in SCOPE_FILTERS if name in self.filters}

    def keys_of_vectors(self, vector_keys: Collection[int]) -> Mapping[int, Sequence[int]]:
        if not vector_keys:
            return {}
        found = self.store.keys_of_vectors(vector_keys, **self.filters)
        if self.among is None:
            return found
        return {key: [row for row in rows if row in self.among] for key, rows in found.items()}

    def neighbours(self, keys: Collection[int], count: int) -> Mapping[int, Sides]:
        """Return the rows around *keys*; none where the store has no such order."""
        find = getattr(self.store, "neighbours", None)
        found: Mapping[int, Sides] = (
            find(sorted(keys), count, **self.filters) if find and keys else {}
        )
        return found

    def authors(self) -> Sequence[str]:
        list_authors = getattr(self.store, "authors", None)
        found: Sequence[str] = list_authors() if list_authors else ()
        return found

    def mean_words(self) -> float:
        get_mean = getattr(self.store, "mean_words", None)
        return float(get_mean()) if get_mean else 0.0
