"""A store of texts in memory, with real full text and vectors: for fitting and for tests."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, NamedTuple

import apsw
import numpy as np

from crewmem.documents import Document
from crewmem.embeddings.store import CollectionName, Vectors
from crewmem.protocols import SearchStore
from crewmem.text.tokens import search_text, stems

Embed = Callable[[Sequence[str]], Sequence[np.ndarray] | np.ndarray]


class Model(NamedTuple):
    """A model: how it embeds queries and texts, how it cuts long ones, and how it embeds words."""

    model: str
    embed: Embed
    split: Callable[[str], Sequence[str]] = lambda text: [text]
    embed_words: Callable[[Sequence[str]], list[np.ndarray]] | None = None


class TextStore(SearchStore):
    """Documents in memory. Documents of one group are neighbours in order."""

    def __init__(self, documents: Sequence[Document], *, authors: Sequence[str] = ()) -> None:
        self._documents = {each.key: each for each in documents}
        self._authors = authors
        self._db = apsw.Connection(":memory:")
        self._db.execute(
            "create virtual table texts using"
            " fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._db.executemany(
            "insert into texts (rowid, text) values (?, ?)",
            [
                (each.key, search_text("\n".join([each.title, each.text, *each.labels])))
                for each in documents
            ],
        )
        self._db.execute("create virtual table vocabulary using fts5vocab('texts', 'row')")
        self._vocabulary = dict(self._db.execute("select term, doc from vocabulary"))
        self._stems = sorted(self._vocabulary)
        sizes = [len(stems(each.text)) for each in documents]
        self._mean = sum(sizes) / max(len(sizes), 1)
        self._groups: dict[str, list[int]] = {}
        for each in documents:
            if each.group:
                self._groups.setdefault(each.group, []).append(each.key)

    def documents(self, keys: Sequence[int]) -> list[Document]:
        return [self._documents[key] for key in keys if key in self._documents]

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        rows = self._db.execute(
            "select rowid, bm25(texts) from texts where texts match ?"
            " order by bm25(texts), rowid limit ?",
            (expression, limit),
        )
        return list(rows)

    def newest(self, limit: int, *, of_day: bool = False, **filters: Any) -> list[int]:
        newest = sorted(self._documents.values(), key=lambda each: each.at, reverse=True)
        return [each.key for each in newest[:limit] if each.is_of_day or not of_day]

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        return {term: self._vocabulary[term] for term in terms if term in self._vocabulary}

    def complete(self, beginning: str, limit: int) -> list[str]:
        start = bisect_left(self._stems, beginning)
        found = takewhile(lambda stem: stem.startswith(beginning), self._stems[start:])
        return [*islice(found, limit)]

    def count(self, **filters: Any) -> int:
        return len(self._documents)

    def keys_of_vectors(
        self, vector_keys: Collection[int], **filters: Any
    ) -> Mapping[int, Sequence[int]]:
        return {key: [key] for key in vector_keys if key in self._documents}

    def neighbours(
        self, keys: Sequence[int], count: int = 3, **filters: Any
    ) -> Mapping[int, tuple[list[int], list[int]]]:
        found = {}
        for key in keys:
            group = self._groups.get(self._documents[key].group, [key])
            at = group.index(key)
            found[key] = group[max(0, at - count) : at][::-1], group[at + 1 : at + 1 + count]
        return found

    def authors(self) -> Sequence[str]:
        return self._authors

    def mean_words(self) -> float:
        return self._mean


def store_vectors(
    vectors: Vectors, collection: CollectionName, documents: Sequence[Document], model: Model
) -> None:
    """Embed those of *documents* that have a vector key."""
    keys: list[int] = []
    pieces: list[str] = []
    for each in documents:
        if each.vector_key:
            text = f"{each.title}\n{each.text}" if each.title else each.text
            found = [piece for piece in model.split(text) if piece.strip()]
            keys += [each.vector_key] * len(found)
            pieces += found
    vectors.put(collection, model.model, keys, np.array(model.embed(pieces)))
