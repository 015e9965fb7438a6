"""Bringing the index that lies in a memory directory up to date."""

from __future__ import annotations

import time
from contextlib import nullcontext

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors import BusyError, DataError, RefusedError
from crewmem.errors.database import DatabaseDamagedError
from crewmem.errors.disk import DiskError, NotWritableError
from crewmem.files.changes import changes
from crewmem.files.existing import existing, is_replaced
from crewmem.files.folders import open_place
from crewmem.files.indexed import Tally
from crewmem.files.signs import UNKNOWN
from crewmem.files.skipped import Skipped, skipped
from crewmem.files.store import INDEX_NAME, MemoryIndex
from crewmem.files.walk import walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from crewmem.files.indexed import Access, Policy
    from crewmem.files.place import Place
    from crewmem.files.signs import Known
    from crewmem.files.walk import Found
    from crewmem.scope import Scope


class Reindexed(NamedTuple):
    """What a reindex did to one memory directory.

    Attributes:
        scope: Agent, crew or workspace.
        owner: Whose the directory is, as ``crew/agent``.
        path: The directory.
        files: How many are indexed now.
        chunks: Into how many pieces they are cut.
        added: Files that were not in the index.
        changed: Files whose content is another.
        removed: Files that are gone.
        skipped: Files that are not in the index, or only with loss, with the reason.
        rebuilt: Why the index was built anew; "" when it was not.
        seconds: How long it took.
        dry_run: Whether nothing was written: it is what a reindex would do.
    """

    scope: Scope
    owner: str
    path: Path
    files: int
    chunks: int
    added: int
    changed: int
    removed: int
    skipped: tuple[Skipped, ...]
    rebuilt: str
    seconds: float
    dry_run: bool = False


def reindex(
    place: Place,
    access: Access,
    *,
    full: bool = False,
    carry: bool = True,
    tick: Callable[[int, int], None] | None = None,
    look: Callable[[Sequence[Found]], None] | None = None,
    then: Callable[[MemoryIndex], None] | None = None,
) -> Reindexed:
    """Make the index in *place* say what its files say; *full* builds it anew.

    Interrupted, the index is as it was. *tick* is told after each file how many were
    looked at, and of how many; *look* is told first what lies there; *then* is handed
    the index as it is now. A new index *carries* on with the vectors of the old one,
    unless of something no trace may stay.

    Raises:
        NotWritableError: If the directory cannot be written.
        UnsafePathError: If a link, or what else is no file, stands for the index.
        DatabaseBusyError: If another process keeps the index locked.
    """
    try:
        with open_place(place) as root:
            run = _Reindexing(root, place, access, tick, full=full, carry=carry)
            return run.answer(look, then)
    except (DiskError, NotWritableError) as error:
        if not is_replaced(place.path, error):
            raise
    with open_place(place) as root:  # what was opened has lost its name
        run = _Reindexing(root, place, access, tick, full=full, carry=carry)
        return run.answer(None, then)


class _Reindexing:
    """One reindex of a directory.

    Attributes:
        found: The directory as it was walked.
        walked: When that began, in nanoseconds since 1970.
        reason: Why the index has to be built anew; "" if it has not.
    """

    def __init__(
        self,
        root: int,
        place: Place,
        access: Access,
        tick: Callable[[int, int], None] | None,
        *,
        full: bool,
        carry: bool,
    ) -> None:
        self.root, self.place, self.access, self.tick = root, place, access, tick
        self.full, self.carry = full, carry
        self.found: Sequence[Found] = []
        self.walked, self.reason = 0, ""
        self._policy = access.policy(place)

    def answer(
        self,
        look: Callable[[Sequence[Found]], None] | None,
        then: Callable[[MemoryIndex], None] | None,
    ) -> Reindexed:
        """Do it; *look* and *then* are as of `reindex`."""
        started = time.perf_counter()
        path = self.place.path / INDEX_NAME
        index, self.reason = _existing(self.root, path, self._policy, self.access)
        known = self._known(index) if index and not self.full else UNKNOWN
        self.walked = time.time_ns()
        self.found = list(walk(self.root, known))
        if look:
            look(self.found)
        tally = self._updated(index, known) if known is not UNKNOWN and index else None
        if index is None or tally is None:
            tally = self._built(index)
            if index:
                index.close()
            self.reason = self.reason or ("asked for" if self.full else "")
            index = MemoryIndex.open(self.root, path, Mode.READ)
        try:
            if then:
                then(index)
            return _answer(self.place, index, self.found, tally, self.reason, started)
        finally:
            index.close()

    def _known(self, index: MemoryIndex) -> Known:
        try:
            return index.known()
        except DatabaseDamagedError as error:
            self.reason = str(error)
            return UNKNOWN

    # Most runs of a timer meet a fresh index: what reads and cuts files comes late.

    def _updated(self, index: MemoryIndex, known: Known) -> Tally | None:
        """Bring *index* up to date; return None if it has to be built anew."""
        lacking = changes(self.found, known.listings)
        if not lacking.directories and not lacking.gone:
            return Tally()
        from crewmem.files.refresh import refresh
        from crewmem.files.settle import settled

        root, now_ns = self.root, self.access.now_ns
        found = settled(root, self.found, known, self.walked)
        try:
            return refresh(
                *(root, index, found, self._policy),
                now_ns=now_ns,
                tick=self.tick,
                folder=root,
            )
        except DatabaseDamagedError as error:
            self.reason = str(error)
            return None

    def _built(self, before: MemoryIndex | None) -> Tally:
        from crewmem.files.build import build
        from crewmem.files.settle import settled

        root, where = self.root, self.place.path
        # An index that is sound stays locked: what another process brought in
        # meanwhile would be lost with it.
        with before.locked() if before and not self.reason else nullcontext():
            if not disk.is_writable(where):
                raise NotWritableError(where, "it is read-only")
            found = settled(root, self.found, UNKNOWN, self.walked)
            return build(
                *(root, root, where, found, self._policy),
                now_ns=self.access.now_ns,
                tick=self.tick,
                before=before,
                carry=self.carry,
            )


def _existing(
    root: int, path: Path, policy: Policy, access: Access
) -> tuple[MemoryIndex | None, str]:
    """Open the index at *path*; return None, and why, if it must be built anew."""
    found = existing(root, path, Mode.WRITE, busy_timeout=access.busy_timeout)
    index, reason, refusal = found
    if isinstance(refusal, NotWritableError):
        return None, ""  # unless its directory can be
    if isinstance(refusal, BusyError | RefusedError):
        raise refusal
    if index is None:
        return None, reason
    try:
        if index.about().items() >= policy.about.items():
            return index, ""
        reason = "settings of the index have changed"
    except DataError as error:
        reason = str(error)
    index.close()
    return None, reason


def _answer(
    place: Place,
    index: MemoryIndex,
    found: Sequence[Found],
    tally: Tally,
    reason: str,
    started: float,
) -> Reindexed:
    files, chunks, _ = index.counts()
    return Reindexed(
        scope=place.scope,
        owner=place.owner,
        path=place.path,
        files=files,
        chunks=chunks,
        added=tally.added,
        changed=tally.changed,
        removed=tally.removed,
        skipped=skipped(index, found),
        rebuilt=reason,
        seconds=round(time.perf_counter() - started, 3),
    )
