"""How much of a memory directory its index covers, in pieces that could be found."""

from __future__ import annotations

from contextlib import contextmanager

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors.database import DerivedDamagedError
from crewmem.files.changes import changes
from crewmem.files.chunks import CHUNK_CHARS
from crewmem.files.existing import existing
from crewmem.files.folders import open_place
from crewmem.files.store import INDEX_NAME
from crewmem.files.walk import visible, walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.files.changes import DirectoryChange
    from crewmem.files.place import Place
    from crewmem.files.store import MemoryIndex
    from crewmem.files.walk import Found


class Coverage(NamedTuple):
    """How much of memory files is indexed.

    Attributes:
        chunks: Pieces that should be. Of files that are new, or were changed, how many
            they are is told by their size.
        indexed: Those that are: of a model's vectors if one was named, else words.
        waiting: Those that no index has: of new and changed files.
        failed: Those that could not be embedded so far.
    """

    chunks: int = 0
    indexed: int = 0
    waiting: int = 0
    failed: int = 0

    def and_of(self, other: Coverage) -> Coverage:
        """Return the sum of this and an *other*."""
        return Coverage(*(one + more for one, more in zip(self, other, strict=True)))


def coverage(
    place: Place, model: str, *, most_bytes: int, busy_timeout: float
) -> Coverage:
    """Count what of *place* should be indexed, and what is.

    Args:
        place: The directory.
        model: Whose vectors count; "" where words do.
        most_bytes: Larger files are never indexed.
        busy_timeout: Seconds to wait for a writer.

    Raises:
        DerivedDamagedError: If there is an index that cannot be read.
    """
    found = _found(place)
    with opened_index(place, busy_timeout=busy_timeout) as index:
        if index is None:
            return _new(found, most_bytes)
        return _of_index(index, found, model, most_bytes)


def uncovered(place: Place, *, most_bytes: int) -> Coverage:
    """Count what of *place* should be indexed, as if nothing were."""
    return _new(_found(place), most_bytes)


def _found(place: Place) -> list[Found]:
    with open_place(place) as root:
        return list(walk(root))


@contextmanager
def opened_index(place: Place, *, busy_timeout: float) -> Iterator[MemoryIndex | None]:
    """Open the index of *place* as it is; None if there is none yet.

    Raises:
        DerivedDamagedError: If it cannot be read.
    """
    path = place.path / INDEX_NAME
    with open_place(place) as root:
        there = existing(root, path, _mode(place), busy_timeout=busy_timeout)
    if there.refusal:
        raise there.refusal
    if there.reason:
        raise unread(place, there.reason)
    try:
        yield there.memory
    except UnicodeDecodeError as error:
        raise unread(place, "a text in it is not UTF-8") from error
    finally:
        if there.memory:
            there.memory.close()


def unread(place: Place, reason: str) -> DerivedDamagedError:
    """Return that the index of *place* cannot be read, and what makes it anew."""
    again = f"crewmem memory reindex --full --path {place.path}"
    return DerivedDamagedError(place.path / INDEX_NAME, reason, again)


def _mode(place: Place) -> Mode:
    """Return how to open the index so that a writer's half change is no trouble."""
    if place.kept and disk.is_writable(place.path):
        return Mode.WRITE
    return Mode.FROZEN if disk.is_read_only(place.path) else Mode.READ


def _new(found: Sequence[Found], most_bytes: int) -> Coverage:
    """Return what is to be counted where there is no index."""
    sizes = [
        size for each in changes(found, {}).directories for _, size in _suspects(each)
    ]
    waiting = sum(_pieces(size, CHUNK_CHARS, most_bytes) for size in sizes)
    return Coverage(chunks=waiting, waiting=waiting)


def _of_index(
    index: MemoryIndex, found: Sequence[Found], model: str, most_bytes: int
) -> Coverage:
    """Return what is to be counted of *index*, and of what is not in it as it is.

    A file of the size that the index knows is taken for what it was: in a copy of a
    tree all stamps are new.
    """
    _, chunks, size = index.counts()
    each = max(1, size // chunks) if chunks else CHUNK_CHARS
    old = waiting = 0
    for change in changes(found, index.known().listings).directories:
        old += sum(_known(index, change.path, name)[0] for name in change.gone)
        for name, its_size in _suspects(change):
            pieces, known_size = _known(index, change.path, name)
            if its_size != known_size:
                old += pieces
                waiting += _pieces(its_size, each, most_bytes)
    embeddable, indexed, failed = chunks, chunks, 0
    if model:
        embeddable, indexed, failed = _counted(index, model)
    return Coverage(
        chunks=max(0, embeddable - old) + waiting,
        indexed=max(0, indexed - old),
        waiting=waiting,
        failed=failed,
    )


def _counted(index: MemoryIndex, model: str) -> tuple[int, int, int]:
    """Return how many chunks there are, have a vector of *model*, and failed."""
    vectors = index.vectors
    lacking = vectors.count_lacking()
    if not vectors.has_any:
        return lacking, 0, 0
    embedded, of_model = vectors.embedded()
    store = vectors.store
    keys = {f.key for kept in store.spaces() for f in store.failures(kept.space)}
    failed = len(vectors.of_keys(keys)) if keys else 0
    total = embedded + lacking + failed
    return total, embedded if of_model == model else 0, failed


def _known(index: MemoryIndex, directory: str, name: str) -> tuple[int, int]:
    """Return how many chunks the index has of a file, and the size that it had."""
    file = index.file(directory, visible(name))
    return (file.chunks, file.size) if file else (0, -1)


def _suspects(change: DirectoryChange) -> Iterator[tuple[str, int]]:
    """Yield the files of *change* that may say something new, and their sizes."""
    for name in change.suspects:
        yield name, change.found[name][0]


def _pieces(size: int, each: int, most_bytes: int) -> int:
    """Return in about how many pieces a file is cut; what is no file has none."""
    return max(1, round(size / each)) if 0 < size <= most_bytes else 0
