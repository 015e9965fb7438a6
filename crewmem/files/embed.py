"""Embedding the chunks of a memory directory that have no vector yet."""

from __future__ import annotations

from contextlib import contextmanager

from crewmem.db.connect import Mode
from crewmem.errors.disk import DiskError, NotWritableError
from crewmem.files.existing import existing, is_replaced
from crewmem.files.folders import open_place
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


def embed(
    place: Place,
    embedder: Embedder,
    now_ms: int,
    *,
    busy_timeout: float,
    tick: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Embed the chunks of *place* that have no vector, and drop those of what is gone.

    The index was brought up to date before. Vectors of another model go when all have
    new ones. Each batch is a commit: interrupted, it goes on from there.

    Raises:
        UnreachableError: If the embedder does not answer; what is done stays.
    """

    def run() -> Embedded:
        with _opened(place, busy_timeout) as index:
            if index is None:
                return Embedded()
            return _Embedding(index, embedder, now_ms).run(tick)

    try:
        return run()
    except (DiskError, NotWritableError) as error:
        if not is_replaced(place.path, error):
            raise
        return run()  # on the new one, which has taken over what was embedded


@contextmanager
def _opened(place: Place, busy_timeout: float) -> Iterator[MemoryIndex | None]:
    path = place.path / INDEX_NAME
    with open_place(place) as root:
        index, *_ = existing(root, path, Mode.WRITE, busy_timeout=busy_timeout)
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
        """Make the tables, and drop from them what cannot be read."""
        with self._index.changing():
            vectors = self._index.vectors
            vectors.prepare()
            if vectors.is_torn:
                vectors.mend()

    def _todo(self) -> list[Text]:
        vectors = self._index.vectors
        failures = vectors.store.failures(self._space)
        due = [each.key for each in failures if each.is_due(self._now_ms)]
        if not self._others():
            return [*vectors.lacking(), *vectors.of_keys(due)]
        wait = {each.key for each in failures} - {*due}
        return [each for each in vectors.every() if each.key not in wait]

    def _others(self) -> list[Space]:
        """Return the spaces of other models, whose vectors serve until all are new."""
        kept = self._index.vectors.store.spaces()
        return [each.space for each in kept if each.space != self._space]

    def _batch(self, some: Sequence[Text]) -> tuple[int, int]:
        """Embed *some*, those that no vector is of yet, and keep whose they are."""
        keys = {each.chunk: each.key for each in some}
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
            # A chunk may be gone by now, and its number another's.
            same = self._index.vectors.of_chunks(keys)
            self._index.vectors.keep_keys(
                {e.chunk: e.key for e in same if e.key == keys[e.chunk]}
            )
        return sum(key in rows for key in keys.values()), len(failures)

    def _drop_gone(self) -> None:
        """Drop vectors of texts that no chunk has any more, and of other models."""
        with self._index.changing():
            vectors = self._index.vectors
            for space in self._others():
                vectors.store.drop(space)
            there = {*vectors.store.keys(self._space).tolist()}
            if gone := there - vectors.keys():
                vectors.store.remove(self._space, gone)
