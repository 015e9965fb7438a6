"""Embedding of new texts: one pipeline for memory files, facts and journal.

A text that a service rejects does not affect others: its batch is split until it is alone. It is
retried with growing waits, and listed by doctor after `MAX_TRIES`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from itertools import accumulate
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.embeddings.embed_report import EmbedReport
from crewmem.embeddings.store import Vectors
from crewmem.errors import STORAGE_FAILED, CrewmemError, ServiceError
from crewmem.protocols import Embedder, VectorSource
from crewmem.security.secrets import redact
from crewmem.storage.http import HTTPStatusError
from crewmem.storage.sqlite import EmbeddingCache
from crewmem.times import add_span, format_time

BATCH = 32
"""Maximum texts of a transaction."""

MAX_TRIES = 8
FIRST_WAIT = timedelta(minutes=1)
"""Wait after the first failure of a text; it doubles with each further failure."""


class Failure(NamedTuple):
    """A text that could not be embedded."""

    store: str
    vector_key: int
    model: str
    tries: int
    next_at: str
    error: str


class StoreEmbedder:
    """Embeds the texts of a store.

    Args:
        context: With full rights, because the vectors are for all actors.
        store: ``memory``, ``facts`` or ``journal``.
        source: Its texts.
    """

    def __init__(
        self,
        context: Context,
        vectors: Vectors,
        embedder: Embedder,
        store: str,
        source: VectorSource,
    ) -> None:
        self._context, self._vectors, self._embedder = context, vectors, embedder
        self._source = source
        self._collection = (context.workspace, store)
        self._cache: EmbeddingCache | None = None
        self._report = EmbedReport(store)

    def embed_all(
        self, *, limit: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> EmbedReport:
        """Embed the texts that have no vector; delete vectors of texts that are gone.

        Args:
            limit: Maximum number of texts to embed, the oldest first; None for all.
            progress: Called with the number of embedded texts and the total.
        """
        vectors, report = self._vectors, self._report
        state = self._source.vector_state()
        if vectors.is_up_to_date(self._collection, state):
            return report
        keys = self._source.visible_vector_keys()
        stored = vectors.keys(self._collection)
        report.removed = vectors.delete(self._collection, stored - keys.keys())
        failures = find_failures(self._context, report.store)
        self._delete_failures(failures.keys() - keys.keys())
        now, model = self._context.now_text, self._embedder.model
        same_model = [failure for failure in failures.values() if failure.model == model]
        given_up = {failure.vector_key for failure in same_model if failure.tries >= MAX_TRIES}
        waiting = {failure.vector_key for failure in same_model if failure.next_at > now}
        waiting -= given_up
        skipped = stored | given_up | waiting
        missing = [key for key in keys if key and key not in skipped]
        total = len(missing) if limit is None else min(limit, len(missing))
        if total:
            self._open_cache(keys)
        first = done = 0
        while first < len(missing) and done < total:
            batch = missing[first : first + min(BATCH, total - done)]
            texts = self._read_texts(batch)
            done += len(texts)
            if self._cache is not None:
                for key, rows in self._cache.load(texts).items():
                    vectors.put(self._collection, model, [key] * len(rows), rows)
                    report.add([key])
                    del texts[key]
            try:
                self._embed_batch(texts)
            except CrewmemError as error:
                if error.code in STORAGE_FAILED:
                    raise
                report.error = error.message
                break
            first += len(batch)
            if progress is not None:
                progress(min(done, total), total)
        report.waiting = len(missing) - first + len(waiting)
        if not report.waiting and not report.failed:
            vectors.set_state(self._collection, model, state)
        return report

    def embed_some(self, keys: Collection[int], *, max_characters: int) -> None:
        """Embed the texts of *keys* that have no vector and did not fail before, shortest first.

        No other texts are read. Texts that fail, and those beyond *max_characters* of all texts
        together, are left for the next sweep.
        """
        failures = find_failures(self._context, self._report.store)
        missing = self._vectors.missing(self._collection, keys) - failures.keys()
        texts = sorted(self._read_texts(missing).items(), key=lambda item: len(item[1]))
        totals = accumulate(len(text) for _, text in texts)
        chosen = {
            key: text
            for (key, text), total in zip(texts, totals, strict=True)
            if total <= max_characters
        }
        if chosen:
            self._open_cache(chosen)
            self._embed_batch(chosen)

    def _read_texts(self, keys: Collection[int]) -> dict[int, str]:
        """Return the texts of *keys* without secrets and without blank texts."""
        texts = {key: redact(text) for key, text in self._source.texts_of_vectors(keys)}
        return {key: text for key, text in texts.items() if text.strip()}

    def _open_cache(self, keys: Iterable[int]) -> None:
        """Open the shared store's cache of embeddings, if there is a shared store."""
        shared = self._context.db.shared
        if shared is None:
            return
        shared_keys = set(keys)
        if self._report.store == "memory":  # an agent's own files stay on their host
            shared_keys = {
                key
                for scope in (Scope.CREW, Scope.WORKSPACE)
                for key in self._source.visible_vector_keys(scope=scope)
            }
        self._cache = shared.open_embeddings(self._collection, self._embedder, shared_keys)

    def _embed_batch(self, texts: Mapping[int, str]) -> None:
        """Embed texts in one transaction; if the service rejects them, try each half alone.

        Raises:
            ServiceError: If the service accepts no text at all.
        """
        keys: list[int] = []
        pieces: list[str] = []
        for key, text in texts.items():
            parts = [part for part in self._embedder.split(text) if part.strip()]
            keys += [key] * len(parts)
            pieces += parts
        if not pieces:
            return
        try:
            matrix = self._embedder.embed(pieces)
        except ServiceError as error:
            if not _may_depend_on_text(error) or not _is_working(self._embedder):
                raise
            if len(texts) > 1:
                items = list(texts.items())
                middle = len(items) // 2
                for half in (items[:middle], items[middle:]):
                    self._embed_batch(dict(half))
            else:
                self._record_failure(keys[0], error.message)
                self._report.failed += 1
            return
        self._vectors.put(self._collection, self._embedder.model, keys, matrix)
        if self._cache is not None:
            self._cache.save(keys, matrix)
        self._report.add(texts)
        self._delete_failures(texts.keys())

    def _record_failure(self, key: int, error: str) -> None:
        """Count a failure of a text, and set the time of the next try."""
        db, model = self._context.db, self._embedder.model
        tries = 1 + (
            db.value(
                "select tries from embedding_failures where workspace_id = ? and store = ?"
                " and vector_key = ? and model = ?",
                (*self._collection, key, model),
            )
            or 0
        )
        next_at = format_time(add_span(self._context.now, FIRST_WAIT * 2 ** (tries - 1)))
        db.execute(
            "insert or replace into embedding_failures"
            " (workspace_id, store, vector_key, model, tries, next_at, error)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (*self._collection, key, model, tries, next_at, error[:200]),
        )

    def _delete_failures(self, keys: Collection[int]) -> None:
        db = self._context.db
        if not keys or not db.value("select exists (select 1 from embedding_failures)"):
            return
        db.execute(
            "delete from embedding_failures where workspace_id = ? and store = ?"
            " and vector_key in (select value from json_each(?))",
            (*self._collection, keys),
        )


def _may_depend_on_text(error: ServiceError) -> bool:
    """Return whether the service may accept another text after this error."""
    if isinstance(error, HTTPStatusError):
        return error.may_depend_on_text
    return error.code in ("bad-embedding", "service-timeout")


def _is_working(embedder: Embedder) -> bool:
    """Return whether the service embeds a harmless text, so that another text is at fault."""
    try:
        embedder.embed(["test"])
    except ServiceError:
        return False
    return True


def find_failures(context: Context, store: str) -> dict[int, Failure]:
    """Return the texts of a store that could not be embedded, by key."""
    rows = context.db.all(
        "select store, vector_key, model, tries, next_at, error from embedding_failures"
        " where workspace_id = ? and store = ?",
        (context.workspace, store),
    )
    return {row[1]: Failure(*row) for row in rows}
