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
from crewmem.files.folders import open_place
from crewmem.files.indexed import Tally
from crewmem.files.opening import existing, is_replaced
from crewmem.files.skipped import Skipped, skipped
from crewmem.files.store import INDEX_NAME, MemoryIndex
from crewmem.files.walk import walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from crewmem.files.indexed import Policy
    from crewmem.files.opening import Access
    from crewmem.files.place import Place
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


def reindex(
    place: Place,
    access: Access,
    *,
    full: bool = False,
    tick: Callable[[int, int], None] | None = None,
    look: Callable[[Sequence[Found]], None] | None = None,
) -> Reindexed:
    """Make the index in *place* say what its files say; *full* builds it anew.

    Interrupted, the index is as it was. *tick* is told after each file how many were
    looked at, and of how many; *look* is told first what lies there.

    Raises:
        NotWritableError: If the directory cannot be written.
        UnsafePathError: If a link, or what else is no file, stands for the index.
        DatabaseBusyError: If another process keeps the index locked.
    """
    try:
        return _reindexed(place, access, full=full, tick=tick, look=look)
    except (DiskError, NotWritableError) as error:
        if not is_replaced(place.path, error):
            raise
        return _reindexed(place, access, full=full, tick=tick)  # on the new one


def _reindexed(
    place: Place,
    access: Access,
    *,
    full: bool,
    tick: Callable[[int, int], None] | None,
    look: Callable[[Sequence[Found]], None] | None = None,
) -> Reindexed:
    started = time.perf_counter()
    policy = access.policy(place)
    with open_place(place) as root:
        found = list(walk(root))
        if look:
            look(found)
        index, reason = _existing(root, place.path / INDEX_NAME, policy, access)
        tally = None
        if index and not full:
            try:
                tally = _updated(root, index, found, policy, access.now_ns, tick)
            except DatabaseDamagedError as error:
                reason = str(error)
        if index is None or tally is None:
            # An index that is sound stays locked: what another process brought in
            # meanwhile would be lost with it.
            with index.locked() if index and not reason else nullcontext():
                now_ns = access.now_ns
                tally = _built(root, place.path, found, policy, now_ns, tick, index)
            if index:
                index.close()
            reason = reason or ("asked for" if full else "")
            index = MemoryIndex.open(root, place.path / INDEX_NAME, Mode.READ)
        try:
            return _answer(place, index, found, tally, reason, started)
        finally:
            index.close()


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


# Most runs of a timer meet a fresh index: what reads and cuts files comes late.


def _built(
    root: int,
    where: Path,
    found: Sequence[Found],
    policy: Policy,
    now_ns: int,
    tick: Callable[[int, int], None] | None,
    before: MemoryIndex | None,
) -> Tally:
    from crewmem.files.build import build
    from crewmem.files.settle import settled

    if not disk.is_writable(where):
        raise NotWritableError(where, "it is read-only")
    found = settled(root, found, {})
    return build(
        root, root, where, found, policy, now_ns=now_ns, tick=tick, before=before
    )


def _updated(
    root: int,
    index: MemoryIndex,
    found: Sequence[Found],
    policy: Policy,
    now_ns: int,
    tick: Callable[[int, int], None] | None,
) -> Tally:
    known = index.listings()
    lacking = changes(found, known)
    if not lacking.directories and not lacking.gone:
        return Tally()
    from crewmem.files.refresh import refresh
    from crewmem.files.settle import settled

    found = settled(root, found, known)
    return refresh(root, index, found, policy, now_ns=now_ns, tick=tick)


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
