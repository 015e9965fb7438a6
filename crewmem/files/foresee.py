"""Telling what a reindex would do to a memory directory; nothing is written.

The files are brought into a copy of the index in memory, by what a reindex does, so
that what is told is what would be.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors import BusyError, DataError, RefusedError
from crewmem.files.backlog import backlog
from crewmem.files.changes import changes
from crewmem.files.embed import BATCH
from crewmem.files.existing import existing
from crewmem.files.folders import open_place
from crewmem.files.indexed import Tally
from crewmem.files.refresh import refresh
from crewmem.files.reindex import Reindexed
from crewmem.files.signs import UNKNOWN
from crewmem.files.skipped import skipped
from crewmem.files.store import INDEX_NAME, MemoryIndex
from crewmem.files.walk import walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.files.indexed import Access
    from crewmem.files.place import Place
    from crewmem.files.walk import Found


class Foreseen(NamedTuple):
    """What would become of a directory.

    Attributes:
        told: What would become of its index.
        chunks: How many chunks would have to be embedded then.
    """

    told: Reindexed
    chunks: int


def foresee(
    place: Place,
    access: Access,
    *,
    full: bool = False,
    look: Callable[[Sequence[Found]], None] | None = None,
    model: str | None = None,
) -> Foreseen:
    """Tell what a reindex of *place* would do; *look* is told first what lies there.

    *model* is what would embed: vectors of another would be made anew.

    Raises:
        DatabaseBusyError: If another process keeps the index locked.
        UnsafePathError: If a link, or what else is no file, stands for the index.
    """
    started = time.perf_counter()
    with ExitStack() as stack:
        root = stack.enter_context(open_place(place))
        before, reason = _before(root, place, access)
        if before:
            stack.callback(before.close)
        known = before.known() if before and not full else UNKNOWN
        found = list(walk(root, known))
        if look:
            look(found)
        is_new = full or bool(reason) or before is None
        if before and not is_new and changes(found, known.listings).is_fresh:
            index, tally = before, Tally()
        else:
            index = _copy(before, access, place, is_new=is_new)
            stack.callback(index.close)
            policy = access.policy(place)
            tally = refresh(root, index, found, policy, now_ns=access.now_ns)
            if before and is_new and before.has_vectors:
                with index.changing():
                    index.vectors.carry(before.vectors)
        files, chunks, _ = index.counts()
        told = Reindexed(
            *(place.scope, place.owner, place.path, files, chunks),
            *(tally.added, tally.changed, tally.removed, skipped(index, found)),
            rebuilt=reason or ("asked for" if full else ""),
            seconds=round(time.perf_counter() - started, 3),
            dry_run=True,
        )
        return Foreseen(told, _chunks(index, model, access.now_ns // 1_000_000))


def _before(root: int, place: Place, access: Access) -> tuple[MemoryIndex | None, str]:
    """Open the index as it is; return as well why a reindex would build it anew."""
    mode = Mode.FROZEN if disk.is_read_only(place.path) else Mode.READ
    path = place.path / INDEX_NAME
    there = existing(root, path, mode, busy_timeout=access.busy_timeout)
    if isinstance(there.refusal, BusyError | RefusedError):
        raise there.refusal
    if there.memory is None:
        return None, there.reason
    try:
        wanted = access.policy(place).about
        is_same = there.memory.about().items() >= wanted.items()
        reason = "" if is_same else "settings of the index have changed"
        there.memory.known()
    except DataError as error:
        there.memory.close()
        return None, str(error)
    return there.memory, reason


def _chunks(index: MemoryIndex, model: str | None, now_ms: int) -> int:
    """Count what would be embedded: not what says the same as what has a vector."""
    chunks, vectors = backlog(index, model, now_ms).chunks, index.vectors
    spaces = [kept.space for kept in vectors.store.spaces()] if vectors.has_any else []
    if not chunks or (model and any(each.model != model for each in spaces)):
        return chunks
    keys = [each.key for each in vectors.lacking()]
    there = {key for each in spaces for key in vectors.store.has(each, keys)}
    for at in range(0, len(keys), BATCH):
        some = keys[at : at + BATCH]
        chunks -= sum(key in there for key in some)
        there.update(some)
    return chunks


def _copy(
    before: MemoryIndex | None, access: Access, place: Place, *, is_new: bool
) -> MemoryIndex:
    if before is None or is_new:
        return MemoryIndex.create(None, access.policy(place))
    return before.copied_to_memory()
