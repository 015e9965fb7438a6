"""Recording what was changed by other means than crewmem.

Agents write memory files through their shell as well. A version is recorded for every
file whose bytes are not those of its newest one, by nobody knows whom.
"""

from __future__ import annotations

import time

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.disk import DiskError, PathMissingError
from crewmem.files import signs
from crewmem.files.folders import open_place
from crewmem.files.listing import pack, unpack
from crewmem.files.locking import held
from crewmem.files.settle import settled
from crewmem.files.tiers import tier_of
from crewmem.files.unrecorded import suspects
from crewmem.files.version import (
    GONE,
    OUTSIDE,
    REMOVED,
    UNKNOWN,
    New,
    owner_of,
    without_secrets,
)
from crewmem.files.walk import reason, visible, walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.files.history import History
    from crewmem.files.place import Place
    from crewmem.files.unrecorded import Suspects
    from crewmem.files.version import Version
    from crewmem.files.version_store import VersionStore
    from crewmem.threats.rule import Scan

    Known = Mapping[str, bytes]

HELD = 20
"""Files that are compared while the directory is locked: some tenths of a second on a
slow disk, for which an agent waits that wants to write."""


class Outside(NamedTuple):
    """What was recorded of one memory directory.

    Attributes:
        versions: The new ones, by file.
        troubles: What could not be read, and why.
    """

    versions: Sequence[Version]
    troubles: Sequence[str]


class Means(NamedTuple):
    """What recording needs.

    Attributes:
        history: Where versions are recorded.
        scan: Finds secrets.
        at: When they are said to be met.
        limit: Most bytes of a file; larger ones are not recorded, and it is said.
        timeout: Seconds to wait for a directory that is locked.
        tick: Told how many files were compared, and of how many.
    """

    history: History
    scan: Scan
    at: datetime
    limit: int
    timeout: float
    tick: Callable[[int, int], None] | None = None


def record_outside(place: Place, means: Means, *, full: bool = False) -> Outside:
    """Record what was changed in *place*; *full* compares unchanged stamps as well.

    Killed at any moment and run again, it records each change once. Of a directory
    that is no longer there all files were removed.

    Raises:
        LockBusyError: If another keeps the directory locked.
        DiskError: If the disk is full or fails.
    """
    recorder = _Recorder(place, means)
    try:
        root = open_place(place)
    except PathMissingError:
        return recorder.all_gone()
    with root:
        return recorder.run(root, full=full)


def changed_outside(
    place: Place,
    file: str,
    content: bytes | None,
    history: History,
    scan: Scan,
    at: datetime,
) -> New | None:
    """Return the version that *file* lacks, to be recorded; None if it lacks none.

    Its *content* is kept by then; None says that the file is not there. Call it with
    the directory locked.
    """
    newest = history.newest(place.ref(file))
    before = newest.sha256 if newest else GONE
    found = GONE if content is None else sha256(content)
    if found == before:
        return None
    whole, secrets = without_secrets(content or b"", scan)
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    crew, agent = owner_of(place, tier)
    return New(
        ref=place.ref(file),
        crew=crew,
        agent=agent,
        file=file,
        tier=tier,
        sha256=found,
        bytes=len(content or b""),
        kept=None if content is None else history.keep_as_is(whole),
        by=UNKNOWN,
        operation=REMOVED if content is None else OUTSIDE,
        at=at,
        secrets=secrets,
    )


def count_outside(
    place: Place, store: VersionStore, known: Known, *, limit: int, full: bool = False
) -> int:
    """Return how many versions `record_outside` would record; nothing is written.

    Args:
        place: The directory.
        store: The versions there are.
        known: What lay there when its files were last compared.
        limit: Most bytes of a file; larger ones are not recorded.
        full: Whether files are compared as well whose stamps are as they were.
    """
    hashes = store.hashes(place.ref(""))
    try:
        root = open_place(place)
    except PathMissingError:
        return sum(map(bool, hashes.values()))
    with root:
        lacking = suspects([*walk(root)], {} if full else known)
        found = 0
        for file in lacking.changed:
            now = _hash(root, file, limit) if visible(file) == file else None
            found += now not in {None, hashes.get(place.ref(file), GONE)}
        gone = (hashes.get(place.ref(file), GONE) for file in lacking.gone)
        return found + sum(each != GONE for each in gone)


def _hash(root: int, file: str, limit: int) -> str | None:
    """Return the hash of *file*; None if it cannot be read."""
    try:
        return sha256(disk.read(root, file, limit=limit))
    except PathMissingError:
        return GONE
    except CrewmemError:
        return None


class _Recorder:
    """One pass over a directory: what may have changed is compared, some at a time."""

    def __init__(self, place: Place, means: Means) -> None:
        self.place, self.means = place, means
        self.versions: list[Version] = []
        self.troubles: list[str] = []
        self.unread: set[str] = set()
        self.is_first = False

    def run(self, root: disk.Directory, *, full: bool) -> Outside:
        means, store = self.means, self.means.history.store
        prefix = self.place.ref("")
        known = means.history.listings(prefix)
        self.is_first = not known
        walked = time.time_ns()
        found = settled(root, list(walk(root)), signs.Known(known, {}), walked)
        lacking = suspects(found, known)
        files = suspects(found, {}).changed if full else lacking.changed
        # Of what cannot be named there is no version that could say it is gone.
        every = [*files, *(file for file in lacking.gone if visible(file) == file)]
        hashes = store.hashes(prefix)
        for at in range(0, len(every), HELD):
            self._compare(root, every[at : at + HELD], hashes)
            if means.tick:
                means.tick(min(at + HELD, len(every)), len(every))
        if lacking.listings or lacking.folders:
            self._remember(lacking)
        return Outside(self.versions, self.troubles)

    def all_gone(self) -> Outside:
        means, prefix = self.means, self.place.ref("")
        refs = [ref for ref, now in means.history.store.hashes(prefix).items() if now]
        files = (ref.removeprefix(prefix) for ref in refs)
        removed = (
            changed_outside(self.place, file, None, means.history, means.scan, means.at)
            for file in files
        )
        versions = means.history.record_changes([each for each in removed if each])
        known = means.history.listings(prefix)
        means.history.remember(prefix, {}, [*known])
        return Outside(versions, ())

    def _compare(
        self, root: disk.Directory, files: Sequence[str], hashes: Mapping[str, str]
    ) -> None:
        with held(root, self.means.timeout):
            changed = [*self._changed(root, files, hashes)]
            if changed:
                self.versions += self.means.history.record_changes(changed)

    def _changed(
        self, root: disk.Directory, files: Sequence[str], hashes: Mapping[str, str]
    ) -> Iterator[New]:
        means = self.means
        for file in files:
            if visible(file) != file:
                self._tell(file, "its name is not UTF-8")
                continue
            try:
                content = self._content(root, file)
            except CrewmemError as error:
                self._skip(file, error)
                continue
            now = GONE if content is None else sha256(content)
            if now != hashes.get(self.place.ref(file), GONE):
                new = changed_outside(
                    self.place, file, content, means.history, means.scan, means.at
                )
                if new:
                    yield new._replace(is_event=not self.is_first)

    def _content(self, root: disk.Directory, file: str) -> bytes | None:
        try:
            return disk.read(root, file, limit=self.means.limit)
        except PathMissingError:
            return None

    def _skip(self, file: str, error: CrewmemError) -> None:
        """Say that *file* was not compared.

        Whatever else lets it be read shows in its stamp; a disk that has recovered
        does not, so it is looked at again.
        """
        self._tell(file, reason(error))
        if isinstance(error, DiskError):
            self.unread.add(file)

    def _tell(self, file: str, why: str) -> None:
        where = self.place.path / visible(file)
        self.troubles.append(f"no version of {where} was recorded: {why}")

    def _remember(self, lacking: Suspects) -> None:
        listings = {
            path: self._without_unread(path, listing)
            for path, listing in lacking.listings.items()
        }
        history = self.means.history
        history.remember(self.place.ref(""), listings, lacking.folders)

    def _without_unread(self, folder: str, listing: bytes) -> bytes:
        above = f"{folder}/" if folder else ""
        stamps = unpack(listing)
        if not any(above + name in self.unread for name in stamps):
            return listing
        left = {
            name: stamp
            for name, stamp in stamps.items()
            if above + name not in self.unread
        }
        return pack(left)
