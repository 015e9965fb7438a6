"""Embedding what is new: one pipeline for memory files, facts, journal and sessions.

A text that a service refuses costs itself only: its batch is split, it is tried alone, set
aside with growing waits, and listed by doctor after `MAX_TRIES`.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.embeddings.store import CollectionName, Vectors
from crewmem.errors import CrewmemError, ServiceError
from crewmem.protocols import Embedder, VectorSource
from crewmem.security.secrets import redact
from crewmem.storage.http import HTTPStatusError
from crewmem.storage.sqlite import EmbeddingCache
from crewmem.times import add_span, format_time

BATCH = 32
"""Texts of one transaction."""

OWN_ERRORS = ("database-locked", "database-damaged", "disk-full")
"""Codes of errors that are not the embedder's: nothing can be stored, whatever it answers."""

MAX_TRIES = 8
FIRST_WAIT = timedelta(minutes=1)
"""Wait after the first failure of a text; it doubles with each further one."""


@dataclass(slots=True)
class Embedded:
    """What a run of the pipeline did to one store.

    Attributes:
        added: Keys of the texts that have a vector now.
        removed: Vectors of texts that are gone.
        failed: Texts that could not be embedded.
        waiting: Texts that are left for a later run.
        error: What kept the rest from being embedded; "" when nothing did.
    """

    store: str
    added: list[int]
    removed: int = 0
    failed: int = 0
    waiting: int = 0
    error: str = ""


class Failure(NamedTuple):
    """A text that could not be embedded."""

    store: str
    vector_key: int
    model: str
    tries: int
    next_at: str
    error: str


def is_up_to_date(vectors: Vectors, collection: CollectionName, state: str) -> bool:
    """Tell whether every text of a store had a vector when its state was *state*."""
    found = vectors.find(collection)
    return found is not None and found.state == state


def embed_store(
    context: Context,
    vectors: Vectors,
    embedder: Embedder,
    store: str,
    source: VectorSource,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Embed the texts of a store that have no vector, and forget vectors of texts that are gone.

    Args:
        context: Acts with full rights: the pipeline serves everybody.
        vectors: Of the home.
        embedder: Turns texts into vectors.
        store: ``memory``, ``facts``, ``journal`` or ``sessions``.
        source: Its texts.
        limit: Texts to embed at most, the oldest; None for all.
        progress: Told how many of how many are done.
    """
    collection = (context.workspace, store)
    state = source.vector_state()
    report = Embedded(store, [])
    if is_up_to_date(vectors, collection, state):
        return report
    wanted = source.visible_vector_keys()
    stored = vectors.keys(collection)
    gone = stored - wanted.keys()
    report.removed = vectors.delete(collection, gone)
    failures = find_failures(context, store)
    _forget_failures(context, collection, failures.keys() - wanted.keys())
    now = context.now_text
    mine = [failed for failed in failures.values() if failed.model == embedder.model]
    given_up = {failed.vector_key for failed in mine if failed.tries >= MAX_TRIES}
    resting = {failed.vector_key for failed in mine if failed.next_at > now} - given_up
    skipped = stored | given_up | resting
    missing = [key for key in wanted if key and key not in skipped]
    most = len(missing) if limit is None else min(limit, len(missing))
    cache = _open_cache(context, embedder, collection, source, wanted) if most else None
    first = done = 0
    while first < len(missing) and done < most:
        batch = missing[first : first + min(BATCH, most - done)]
        texts = {key: redact(text) for key, text in source.texts_of_vectors(batch)}
        texts = {key: text for key, text in texts.items() if text.strip()}
        done += len(texts)
        if cache is not None:
            for key, rows in cache.load(texts).items():
                vectors.put(collection, embedder.model, [key] * len(rows), rows)
                report.added.append(key)
                del texts[key]
        try:
            _embed_batch(context, vectors, embedder, collection, texts, report, cache)
        except CrewmemError as error:
            if error.code in OWN_ERRORS:
                raise
            report.error = error.message
            break
        first += len(batch)
        if progress is not None:
            progress(min(done, most), most)
    report.waiting = len(missing) - first + len(resting)
    if not report.waiting and not report.failed:
        vectors.set_state(collection, embedder.model, state)
    return report


def embed_some(
    context: Context,
    vectors: Vectors,
    embedder: Embedder,
    store: str,
    source: VectorSource,
    keys: Collection[int],
) -> None:
    """Embed those of some texts that have no vector and have not failed.

    No other text is looked at, however many there are. What fails is left to the next sweep.
    """
    collection = (context.workspace, store)
    missing = vectors.missing(collection, keys) - find_failures(context, store).keys()
    texts = {key: redact(text) for key, text in source.texts_of_vectors(missing)}
    texts = {key: text for key, text in texts.items() if text.strip()}
    if texts:
        cache = _open_cache(context, embedder, collection, source, dict.fromkeys(missing))
        _embed_batch(context, vectors, embedder, collection, texts, Embedded(store, []), cache)


def _open_cache(
    context: Context,
    embedder: Embedder,
    collection: CollectionName,
    source: VectorSource,
    wanted: Mapping[int, object],
) -> EmbeddingCache | None:
    """Return what other hosts embedded of the texts that are shared; None without a store."""
    shared = context.db.shared
    if shared is None:
        return None
    keys = set(wanted)
    if collection[1] == "memory":  # an agent's own files stay on their host
        keys = {
            key
            for scope in (Scope.CREW, Scope.WORKSPACE)
            for key in source.visible_vector_keys(scope=scope)
        }
    return shared.open_embeddings(collection, embedder, keys)


def _embed_batch(
    context: Context,
    vectors: Vectors,
    embedder: Embedder,
    collection: CollectionName,
    texts: Mapping[int, str],
    report: Embedded,
    cache: EmbeddingCache | None,
) -> None:
    """Embed some texts in one transaction; where the service refuses them, each half alone.

    Raises:
        ServiceError: If the service answers nothing at all.
    """
    keys: list[int] = []
    pieces: list[str] = []
    for key, text in texts.items():
        parts = [part for part in embedder.split(text) if part.strip()]
        keys += [key] * len(parts)
        pieces += parts
    if not pieces:
        return
    try:
        matrix = embedder.embed(pieces)
    except ServiceError as error:
        if not _may_be_the_text(error) or not _answers(embedder):
            raise
        if len(texts) > 1:
            items = list(texts.items())
            middle = len(items) // 2
            for half in (items[:middle], items[middle:]):
                _embed_batch(context, vectors, embedder, collection, dict(half), report, cache)
        else:
            _set_aside(context, collection, keys[0], embedder.model, error.message)
            report.failed += 1
        return
    vectors.put(collection, embedder.model, keys, matrix)
    if cache is not None:
        cache.save(keys, matrix)
    report.added += list(texts)
    _forget_failures(context, collection, texts.keys())


def _may_be_the_text(error: ServiceError) -> bool:
    """Tell whether a service that fails so may answer another text."""
    if isinstance(error, HTTPStatusError):
        return error.http_status not in (401, 403, 404, 429)
    return error.code in ("bad-embedding", "service-timeout")


def _answers(embedder: Embedder) -> bool:
    """Tell whether the service embeds a harmless text: then the fault is the other text's."""
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


def _set_aside(
    context: Context, collection: CollectionName, key: int, model: str, error: str
) -> None:
    """Count a failure of a text, and say when it is tried again."""
    db = context.db
    tries = 1 + (
        db.value(
            "select tries from embedding_failures where workspace_id = ? and store = ?"
            " and vector_key = ? and model = ?",
            (*collection, key, model),
        )
        or 0
    )
    next_at = format_time(add_span(context.now, FIRST_WAIT * 2 ** (tries - 1)))
    db.execute(
        "insert or replace into embedding_failures"
        " (workspace_id, store, vector_key, model, tries, next_at, error)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        (*collection, key, model, tries, next_at, error[:200]),
    )


def _forget_failures(context: Context, collection: CollectionName, keys: Collection[int]) -> None:
    db = context.db
    if not keys or not db.value("select exists (select 1 from embedding_failures)"):
        return
    db.execute(
        "delete from embedding_failures where workspace_id = ? and store = ?"
        " and vector_key in (select value from json_each(?))",
        (*collection, json.dumps(list(keys))),
    )
