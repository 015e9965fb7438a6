"""A store of texts in memory, with real full text and vectors: for fitting and for tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import apsw
import numpy as np

from crewmem.documents import Document
from crewmem.errors import DamagedError
from crewmem.protocols import SearchStore
from crewmem.text.tokens import search_text, stems

Embed = Callable[[Sequence[str]], np.ndarray]


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

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        return {term: self._vocabulary[term] for term in terms if term in self._vocabulary}

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


class TextVectors:
    """Vectors of `TextStore`s, as a `candidates.VectorIndex`. A text's vector key is its key.

    Args:
        embed: Returns a unit row for each text.
        split: Cuts a text that is longer than the model reads; the best piece counts.
    """

    def __init__(
        self,
        stores: Mapping[Any, Sequence[Document]],
        embed: Embed,
        split: Callable[[str], Sequence[str]] = lambda text: [text],
    ) -> None:
        self._rows: dict[Any, tuple[np.ndarray, np.ndarray]] = {}
        for collection, documents in stores.items():
            keys: list[int] = []
            pieces: list[str] = []
            for each in documents:
                text = f"{each.title}\n{each.text}" if each.title else each.text
                for piece in split(text):
                    if piece.strip():
                        keys.append(each.key)
                        pieces.append(piece)
            self._rows[collection] = np.array(keys), embed(pieces)
        self._last: tuple[Any, bytes] | None = None
        self._best: dict[int, float] = {}

    def find(self, collection: Any) -> None:
        """Say nothing of the model: there is one."""

    def scan(
        self, collection: Any, query: np.ndarray, *, limit: int
    ) -> Sequence[tuple[int, float]]:
        return list(self._compare(collection, query).items())[:limit]

    def cosines(
        self, collection: Any, query: np.ndarray, keys: Collection[int]
    ) -> Mapping[int, float]:
        best = self._compare(collection, query)
        return {key: best[key] for key in keys if key in best}

    def get(self, collection: Any, keys: Collection[int]) -> Mapping[int, np.ndarray]:
        rows, matrix = self._rows[collection]
        found = {}
        for key in keys:
            places = np.flatnonzero(rows == key)
            if len(places):
                found[key] = matrix[places[0]]
        return found

    def sample_keys(self, collection: Any, count: int) -> Sequence[int]:
        return [int(key) for key in self._rows[collection][0][:count]]

    def mean(self, collection: Any, keys: Collection[int] | None = None) -> np.ndarray | None:
        rows, matrix = self._rows[collection]
        chosen = matrix[np.isin(rows, list(keys))] if keys is not None else matrix
        return chosen.mean(axis=0) if len(chosen) else None

    def start_anew(self, error: DamagedError) -> bool:
        return False

    def _compare(self, collection: Any, query: np.ndarray) -> dict[int, float]:
        asked = (collection, query.tobytes())
        if asked != self._last:
            rows, matrix = self._rows[collection]
            cosines = matrix @ query
            self._best = {}
            for at in np.argsort(-cosines, kind="stable"):
                self._best.setdefault(int(rows[at]), float(cosines[at]))
            self._last = asked
        return self._best
