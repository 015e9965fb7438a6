"""Embeddings in the store: a cache, so that a text is embedded once for all hosts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from crewmem.errors import CrewmemError
from crewmem.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np

    from crewmem.hosts.store import PostgresStore

SAME_LENGTH = 1e-3
"""How far the length of a stored vector may be from 1."""


class StoredEmbeddings:
    """The embeddings that one model made of the texts of a collection.

    They are not part of the changes that mirrors read: a host asks for those that it lacks. A
    server that is away, or a vector that cannot be one, costs nothing but the work of embedding.

    Args:
        server: The store.
        collection: Workspace and store of texts.
        embedder: Its model made them. A service may not tell its dimension before it is asked.
        keys: Of the texts that are shared.
        position: Of the newest change when the texts were read. After a later purge nothing is
            kept of them, because they may hold what was purged.
    """

    def __init__(
        self,
        server: PostgresStore,
        collection: tuple[str, str],
        embedder: Embedder,
        keys: frozenset[int],
        position: int,
    ) -> None:
        self._server = server
        self._names = (*collection, embedder.model)
        self._embedder, self._keys, self._position = embedder, keys, position
        self._is_away = False

    def load(self, keys: Collection[int]) -> dict[int, np.ndarray]:
        """Return the vectors of those of *keys* that are there: a row for each piece of a text."""
        import numpy as np  # takes longer to import than most commands take to run

        found: dict[int, np.ndarray] = {}
        wanted = self._keys.intersection(keys)
        dim = self._embedder.dim
        if self._is_away or not wanted or not dim:
            return found
        try:
            rows = self._server.query(
                "select vector_key, vectors from embeddings where workspace_id = %s and store = %s"
                " and model = %s and vector_key = any(%s)",
                (*self._names, list(wanted)),
            )
        except CrewmemError:
            self._is_away = True
            return found
        for key, data in rows:
            if not data or len(data) % (4 * dim):
                continue
            vectors = np.frombuffer(data, "<f4").reshape(-1, dim)
            lengths = np.linalg.norm(vectors, axis=1)
            if np.all(np.abs(lengths - 1.0) < SAME_LENGTH):
                found[key] = vectors
        return found

    def save(self, keys: Sequence[int], vectors: np.ndarray) -> None:
        """Store vectors for the other hosts; the pieces of a text have the same key."""
        pieces: dict[int, list[bytes]] = {}
        for key, vector in zip(keys, vectors, strict=True):
            if key in self._keys:
                pieces.setdefault(key, []).append(vector.astype("<f4").tobytes())
        if self._is_away or not pieces:
            return
        try:
            with self._server.hold_lock():
                self._server.query(
                    "insert into embeddings (workspace_id, store, model, vector_key, vectors)"
                    " select %s, %s, %s, key, vectors"
                    " from unnest(%s::bigint[], %s::bytea[]) given (key, vectors)"
                    " where not exists (select from changes where erases and position > %s)"
                    " on conflict do nothing",
                    (
                        *self._names,
                        list(pieces),
                        [b"".join(each) for each in pieces.values()],
                        self._position,
                    ),
                )
        except CrewmemError:
            self._is_away = True
