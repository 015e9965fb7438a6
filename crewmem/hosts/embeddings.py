"""A cache of embeddings in the shared store, so that a text is embedded once for all hosts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from crewmem.errors import CrewmemError
from crewmem.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np

    from crewmem.hosts.connection import Server

LENGTH_TOLERANCE = 1e-3
"""Maximum deviation of the length of a stored vector from 1."""


class SharedEmbeddings:
    """The shared embeddings of a collection of texts by one model.

    They are not part of the changes that mirrors apply: a host queries those that it lacks. If
    the server cannot be used, or a vector is invalid, the host embeds the text itself.
    """

    def __init__(
        self,
        server: Server,
        collection: tuple[str, str],
        embedder: Embedder,
        keys: frozenset[int],
        position: int,
    ) -> None:
        """Open the embeddings of a collection.

        Args:
            collection: Workspace and store of the texts.
            embedder: The embedder in use. The dimension of a service is 0 until its first response.
            keys: Keys of the texts that hosts share.
            position: Position of the newest change when the texts were read. If a purge follows,
                nothing is saved, because the texts may contain what was purged.
        """
        self._server = server
        self._names = (*collection, embedder.model)
        self._embedder, self._keys, self._position = embedder, keys, position
        self._has_failed = False

    def load(self, keys: Collection[int]) -> dict[int, np.ndarray]:
        """Return the stored vectors of *keys*; a long text has one row per piece."""
        import numpy as np  # takes longer to import than most commands take to run

        by_key: dict[int, np.ndarray] = {}
        shared = self._keys.intersection(keys)
        dim = self._embedder.dim
        if self._has_failed or not shared or not dim:
            return by_key
        try:
            rows = self._server.query(
                "select vector_key, vectors from embeddings where workspace_id = %s and store = %s"
                " and model = %s and vector_key = any(%s)",
                (*self._names, list(shared)),
            )
        except CrewmemError:
            self._has_failed = True
            return by_key
        for key, data in rows:
            if not data or len(data) % (4 * dim):
                continue
            vectors = np.frombuffer(data, "<f4").reshape(-1, dim)
            lengths = np.linalg.norm(vectors, axis=1)
            if np.all(np.abs(lengths - 1.0) < LENGTH_TOLERANCE):
                by_key[key] = vectors
        return by_key

    def save(self, keys: Sequence[int], vectors: np.ndarray) -> None:
        """Store vectors for the other hosts; the pieces of a text repeat its key."""
        pieces: dict[int, list[bytes]] = {}
        for key, vector in zip(keys, vectors, strict=True):
            if key in self._keys:
                pieces.setdefault(key, []).append(vector.astype("<f4").tobytes())
        if self._has_failed or not pieces:
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
            self._has_failed = True
