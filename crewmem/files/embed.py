"""Embedding the chunks of a memory directory that have no vector yet."""

from __future__ import annotations

from contextlib import contextmanager

from crewmem.db.connect import Mode
from crewmem.files.folders import open_place
from crewmem.files.opening import existing
from crewmem.files.store import INDEX_NAME
from crewmem.records import NamedTuple
from crewmem.vectors.embedding import embedded
from crewmem.vectors.retries import failed
from crewmem.vectors.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.backends.embed import Embedder
    from crewmem.files.place import Place
    from crewmem.files.store import MemoryIndex
    from crewmem.files.vectors_store import Text

CHUNKS = "chunks"
"""Kind of their vectors."""

BATCH = 64
"""Chunks of one commit."""


class Embedded(NamedTuple):
    """What became of the chunks of a directory.

    Attributes:
        embedded: Chunks that have a vector now and had none.
        failed: Those that could get none; they are tried again later.
    """

    embedded: int = 0
    failed: int = 0


def space_of(model: str, dim: int) -> Space:
    """Return the space of the chunks of one index: nothing else is in it."""
    return Space(CHUNKS, "", model, dim)


def waiting(
    place: Place, model: str | None, now_ms: int, *, busy_timeout: float
) -> int:
    """Return how many chunks of *place* are to be embedded; nothing is written.

    Args:
        place: The directory.
        model: What would embed them; those of another are to be embedded again. None:
            whatever there is already.
        now_ms: When, in milliseconds since 1970.
        busy_timeout: Seconds to wait for a writer.
    """
    with _opened(place, Mode.READ, busy_timeout) as index:
        if index is None:
            return 0
        vectors = index.vectors
        if not vectors.has_any:
            return vectors.count_lacking()
        spaces = [kept.space for kept in vectors.store.spaces()]
        if model and any(space.model != model for space in spaces):
            return len(vectors.keys()) + vectors.count_lacking()
        failures = (each for space in spaces for each in vectors.store.failures(space))
        due = sum(each.due_ms <= now_ms for each in failures)
        return vectors.count_lacking() + due


def embed(
    place: Place,
    embedder: Embedder,
    now_ms: int,
    *,
    busy_timeout: float,
    tick: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Embed the chunks of *place* that have no vector, and drop those of what is gone.

    The index is brought up to date before. Vectors of another model go. Each batch is
    a commit: interrupted, it goes on from there.

    Raises:
        UnreachableError: If the embedder does not answer; what is done stays.
    """
    with _opened(place, Mode.WRITE, busy_timeout) as index:
        return _Embedding(index, embedder, now_ms).run(tick) if index else Embedded()


@contextmanager
def _opened(
    place: Place, mode: Mode, busy_timeout: float
) -> Iterator[MemoryIndex | None]:
    path = place.path / INDEX_NAME
    with open_place(place) as root:
        index, *_ = existing(root, path, mode, busy_timeout=busy_timeout)
    try:
        yield index
    finally:
        if index:
            index.close()


class _Embedding:
    """One pass over the chunks of an index."""

    def __init__(self, index: MemoryIndex, embedder: Embedder, now_ms: int) -> None:
        self._index, self._embedder, self._now_ms = index, embedder, now_ms
        self._space = space_of(embedder.model, embedder.dim)

    def run(self, tick: Callable[[int, int], None] | None) -> Embedded:
        self._prepare()
        todo = self._todo()
        done = lost = 0
        for at in range(0, len(todo), BATCH):
            some = todo[at : at + BATCH]
            new, bad = self._batch(some)
            done, lost = done + new, lost + bad
            if tick:
                tick(at + len(some), len(todo))
        self._drop_gone()
        return Embedded(done, lost)

    def _prepare(self) -> None:
        """Make the tables; forget vectors of another model, and whose they were."""
        with self._index.changing():
            vectors = self._index.vectors
            vectors.prepare()
            for kept in vectors.store.spaces():
                if kept.space != self._space:
                    vectors.store.drop(kept.space)
                    vectors.forget_keys()

    def _todo(self) -> list[Text]:
        vectors = self._index.vectors
        failures = vectors.store.failures(self._space)
        due = [each.key for each in failures if each.due_ms <= self._now_ms]
        return [*vectors.lacking(), *vectors.of_keys(due)]

    def _batch(self, some: Sequence[Text]) -> tuple[int, int]:
        """Embed *some*, those that no vector is of yet, and keep whose they are."""
        keys = {each.chunk: key_of(each.text) for each in some}
        there = self._index.vectors.store.has(self._space, keys.values())
        new = {
            keys[each.chunk]: each.text
            for each in some
            if keys[each.chunk] not in there
        }
        rows, failures = embedded(new, self._embedder)
        with self._index.changing():
            store = self._index.vectors.store
            before = {each.key: each for each in store.failures(self._space)}
            pairs = [(key, row) for key, pieces in rows.items() for row in pieces]
            if pairs:
                at, vectors = zip(*pairs, strict=True)
                store.add(self._space, at, 0, vectors)
            store.fail(
                self._space,
                [
                    failed(key, reason, self._now_ms, before.get(key))
                    for key, reason in failures.items()
                ],
            )
            self._index.vectors.keep_keys(keys)
        return sum(key in rows for key in keys.values()), len(failures)

    def _drop_gone(self) -> None:
        """Drop vectors of texts that no chunk has any more."""
        with self._index.changing():
            vectors = self._index.vectors
            there = {*vectors.store.keys(self._space).tolist()}
            if gone := there - vectors.keys():
                vectors.store.remove(self._space, gone)


def key_of(text: str) -> int:
    """Return what tells *text* from any other, as SQLite holds a number.

    Of a million texts two meet once in thirty million indexes.
    """
    from _blake2 import blake2b  # what hashlib has, without OpenSSL

    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
