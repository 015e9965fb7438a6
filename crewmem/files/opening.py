"""Opening the index of a memory directory so that it answers for the files as they are.

Who may write where decides how: an index that is fresh is read where it lies; one
that is not is brought up to date in place below the home, else beside, in a cache
of the home, else in memory. A tree that is only to be read is never written.
"""

from __future__ import annotations

import time
from contextlib import contextmanager

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.disk.paths import closed_on_failure
from crewmem.errors import CrewmemError
from crewmem.files.changes import changes
from crewmem.files.existing import TOLERATED, Existing, existing, is_replaced
from crewmem.files.folders import open_place
from crewmem.files.signs import UNKNOWN
from crewmem.files.store import INDEX_NAME, MemoryIndex
from crewmem.files.walk import walk
from crewmem.records import NamedTuple

TREE_NOTE = "tree"
"""The file in a cache that says of which tree it is, so that `doctor` can tell when
that is gone."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crewmem.files.indexed import Access
    from crewmem.files.place import Place
    from crewmem.files.signs import Known
    from crewmem.files.walk import Found


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
        known = self._known(own)
        if self.access.refresh:
            self._walk(known)
        if own and self._answers(known):
            return own
        self._settle(known)
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

    def _known(self, index: MemoryIndex | None) -> Known:
        return index.known() if index and self.access.refresh else UNKNOWN

    def _answers(self, known: Known) -> bool:
        """Tell whether an index answers that knows the directories as *known*."""
        return not self.access.refresh or changes(self.found, known.listings).is_fresh

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
                self._refresh(found.memory, root)
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
            if kept.memory and self._answers(self._known(kept.memory)):
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

    def _settle(self, known: Known) -> None:
        from crewmem.files.settle import settled

        if not self.found:
            self._walk(known)
        self.found = settled(self.root, self.found, known, self._walked)

    # Reading files, cutting and indexing them is imported when there is something
    # to bring in: most searches meet a fresh index.

    def _refresh(self, index: MemoryIndex, folder: int | None = None) -> None:
        from crewmem.files.refresh import refresh

        how = self.access
        refresh(
            *(self.root, index, self.found, self._policy),
            now_ns=how.now_ns,
            tick=how.tick,
            folder=folder,
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


def cache_key(path: Path) -> str:
    """Name the index of the tree at *path* in a cache."""
    from hashlib import sha256

    return sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[
        :32
    ]
