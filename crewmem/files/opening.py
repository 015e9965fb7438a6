"""Opening the index of a memory directory so that it answers for the files as they are.

Who may write where decides how: an index that is fresh is read where it lies; one
that is not is brought up to date in place below the home, else beside, in a cache
of the home, else in memory. A tree that is only to be read is never written.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from stat import S_ISREG

from crewmem import disk
from crewmem.db.connect import BUSY_TIMEOUT, Mode
from crewmem.disk.paths import closed_on_failure
from crewmem.errors import BusyError, CrewmemError, DataError
from crewmem.errors.disk import (
    DiskError,
    NotReadableError,
    NotWritableError,
    PathMissingError,
    UnsafePathError,
)
from crewmem.files.changes import changes
from crewmem.files.folders import open_place
from crewmem.files.indexed import Policy
from crewmem.files.signs import UNKNOWN
from crewmem.files.store import INDEX_NAME, SIDECARS, MemoryIndex
from crewmem.files.walk import walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TOLERATED = (DataError, BusyError, NotReadableError, NotWritableError, UnsafePathError)
"""What may be wrong with an index: the files are there, and are searched."""

TREE_NOTE = "tree"
"""The file in a cache that says of which tree it is, so that `doctor` can tell when
that is gone."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from crewmem.files.place import Place
    from crewmem.files.signs import Known
    from crewmem.files.walk import Found


class Access(NamedTuple):
    """How indexes are opened.

    Attributes:
        cache: Where indexes of trees that are only to be read are kept; None for
            in memory.
        chunk_chars: Most characters of a chunk.
        max_file_bytes: Larger files are left out, and reported.
        now_ns: When, in nanoseconds since 1970.
        refresh: Whether the files are looked at before an index answers.
        distrust: Whether indexes on disk are left alone: one was found damaged.
        tick: Told after each file that is brought in how many were looked at, and of
            how many.
    """

    cache: Path | None
    chunk_chars: int
    max_file_bytes: int
    now_ns: int
    busy_timeout: float = BUSY_TIMEOUT
    refresh: bool = True
    distrust: bool = False
    tick: Callable[[int, int], None] | None = None

    def policy(self, place: Place) -> Policy:
        """Return how *place* is indexed."""
        is_workspace = place.scope is Scope.WORKSPACE
        return Policy(self.chunk_chars, self.max_file_bytes, is_workspace)


class Opened(NamedTuple):
    """An index that answers for the files as they are.

    Attributes:
        found: The directory as it was walked.
        notes: What a person should know of how it was opened.
        how: How it was opened, and how long that took.
    """

    place: Place
    memory: MemoryIndex
    found: Sequence[Found]
    notes: Sequence[str]
    how: str


class Existing(NamedTuple):
    """What stands where an index should.

    Attributes:
        memory: The index; None if there is none that can be used.
        reason: Why it cannot be used; "" if nothing is there.
        refusal: What kept it from being looked into, so that nobody knows what would
            be lost with it; None if a new index may take its place.
    """

    memory: MemoryIndex | None
    reason: str = ""
    refusal: CrewmemError | None = None


def existing(root: int, path: Path, mode: Mode, *, busy_timeout: float) -> Existing:
    """Open the index *path*, which is in the directory *root*, if it can be used."""
    if mode is not Mode.WRITE and is_hot(path):
        return Existing(None, f"{path} was left in the middle of a change")
    index = None
    try:
        index = MemoryIndex.open(root, path, mode, busy_timeout=busy_timeout)
        if not index.is_current():
            reason = "is not an index of this version of crewmem"
        elif flaw := index.flaw():
            reason = f"is damaged: {flaw}"
        else:
            return Existing(index)
        found = Existing(None, f"{path} {reason}")
    except PathMissingError:
        found = Existing(None)
    except TOLERATED as error:
        damaged = isinstance(error, DataError) and not isinstance(error, DiskError)
        found = Existing(None, str(error), None if damaged else error)
    if index:
        index.close()
    return found


@contextmanager
def opened(place: Place, access: Access) -> Iterator[Opened]:
    """Open the index of *place*, fresh, without writing where nothing may be written.

    Raises:
        PathMissingError: If the directory is not there.
        NotReadableError: If it may not be listed.
    """
    started = time.perf_counter()
    with open_place(place) as root:
        opening = _Opening(root, place, access)
        index = opening.index()
        seconds = time.perf_counter() - started
        how = f"{place.path}: {opening.how} in {seconds:.3f} s"
        try:
            yield Opened(place, index, opening.found, opening.notes, how)
        finally:
            index.close()


class _Opening:
    """The ways to an index that answers, tried in order of their cost.

    Attributes:
        found: The directory as it was walked.
        notes: What a person should know.
        how: Which way it was in the end.
    """

    def __init__(self, root: int, place: Place, access: Access) -> None:
        self.root, self.place, self.access = root, place, access
        self.found: Sequence[Found] = []
        self._walked = 0
        self.notes: list[str] = []
        compared = "compared with the files" if access.refresh else "taken as it is"
        self.how = f"the index was {compared}"
        self._writes = place.kept and disk.is_writable(place.path)
        self._policy = access.policy(place)

    def index(self) -> MemoryIndex:
        found = self._trusted(self.root, self.place.path, self._own_mode())
        own = found.memory
        if self.access.refresh:
            self._walk(own.known() if own else UNKNOWN)
        if own and self._answers(own):
            return own
        self._settle(own)
        if self._writes:
            updated = self._updated(found, self.root, self.place.path)
        elif self.access.cache:
            updated = self._cached(self.access.cache, own)
        else:
            updated = None
        index = updated or self._in_memory(own)
        if own and index is not own:
            own.close()
        return index

    def _own_mode(self) -> Mode:
        if self._writes:
            return Mode.WRITE
        return Mode.FROZEN if disk.is_read_only(self.place.path) else Mode.READ

    def _trusted(self, root: int, where: Path, mode: Mode) -> Existing:
        """Look at the index in *where*, of which *root* is the descriptor.

        One that is not trusted is looked at all the same: somebody may hold it.
        """
        found = self._existing(root, where, mode)
        if self.access.distrust and found.memory:
            found.memory.close()
            return Existing(None)
        return found

    def _existing(self, root: int, where: Path, mode: Mode) -> Existing:
        timeout = self.access.busy_timeout
        found = existing(root, where / INDEX_NAME, mode, busy_timeout=timeout)
        if found.reason and (found.refusal or not self.access.distrust):
            self.notes.append(found.reason)
        return found

    def _answers(self, index: MemoryIndex) -> bool:
        if not self.access.refresh:
            return True
        return changes(self.found, index.known().listings).is_fresh

    def _updated(
        self,
        found: Existing,
        root: int,
        where: Path,
        own: MemoryIndex | None = None,
        *,
        again: bool = True,
    ) -> MemoryIndex | None:
        """Bring the index *found* in *where*, or a new one, up to date.

        A new one takes over what was embedded for its tree's *own*. None if it fails,
        or if what stands there must not be replaced.
        """
        if found.refusal:
            return None
        try:
            if found.memory:
                self._refresh(found.memory)
                self.how = "the index was brought up to date"
                return found.memory
            self._build(root, where, own)
            self.how = "the index was built"
        except TOLERATED as error:
            if again and found.memory and is_replaced(where, error):
                newer = self._existing(root, where, Mode.WRITE)
                return self._updated(newer, root, where, own, again=False)
            self.notes.append(str(error))
            return None
        return self._existing(root, where, Mode.READ).memory

    def _cached(self, cache: Path, own: MemoryIndex | None) -> MemoryIndex | None:
        where = cache / cache_key(self.place.path)
        try:
            folder = self._cache_folder(where)
        except CrewmemError as error:
            self.notes.append(str(error))
            return None
        with folder:
            kept = self._trusted(folder, where, Mode.WRITE)
            if kept.memory and self._answers(kept.memory):
                return kept.memory
            updated = self._updated(kept, folder, where, own)
        if kept.memory and updated is not kept.memory:
            kept.memory.close()
        return updated

    def _cache_folder(self, where: Path) -> disk.Directory:
        folder = disk.make_root(where)
        if not (where / TREE_NOTE).exists():
            with closed_on_failure(folder):
                disk.write(folder, TREE_NOTE, bytes(self.place.path.resolve()))
        return folder

    def _in_memory(self, own: MemoryIndex | None) -> MemoryIndex:
        index = (
            own.copied_to_memory() if own else MemoryIndex.create(None, self._policy)
        )
        self._refresh(index)
        self.how = "an index was made in memory"
        return index

    def _walk(self, known: Known) -> None:
        self._walked = time.time_ns()
        self.found = list(walk(self.root, known))

    def _settle(self, own: MemoryIndex | None) -> None:
        from crewmem.files.settle import settled

        known = own.known() if own else UNKNOWN
        if not self.found:
            self._walk(known)
        self.found = settled(self.root, self.found, known, self._walked)

    # Reading files, cutting and indexing them is imported when there is something
    # to bring in: most searches meet a fresh index.

    def _refresh(self, index: MemoryIndex) -> None:
        from crewmem.files.refresh import refresh

        how = self.access
        refresh(
            *(self.root, index, self.found, self._policy),
            now_ns=how.now_ns,
            tick=how.tick,
        )

    def _build(self, folder: int, where: Path, own: MemoryIndex | None) -> None:
        from crewmem.files.build import build

        how = self.access
        build(
            *(self.root, folder, where, self.found, self._policy),
            now_ns=how.now_ns,
            tick=how.tick,
            before=own,
        )


def is_replaced(where: Path, error: CrewmemError) -> bool:
    """Tell whether *error* may come of an index in *where* that has lost its name.

    Who builds a new one gives it the name of the old; SQLite then says of that that it
    cannot be written.
    """
    failed = isinstance(error, DiskError | NotWritableError)
    return failed and disk.is_writable(where)


def is_hot(path: Path) -> bool:
    """Tell whether the database at *path* has changes beside it that count."""
    for beside in (path.with_name(path.name + end) for end in SIDECARS[:2]):
        try:
            status = beside.lstat()
        except OSError:
            continue
        if status.st_size and S_ISREG(status.st_mode):
            return True
    return False


def cache_key(path: Path) -> str:
    """Name the index of the tree at *path* in a cache."""
    from hashlib import sha256

    return sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[
        :32
    ]
