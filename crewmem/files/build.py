"""Building an index from nothing, aside, and giving it its name when it is whole."""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext, suppress
from stat import S_IMODE

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors import CrewmemError
from crewmem.files.audience import narrow, narrowed
from crewmem.files.existing import existing
from crewmem.files.refresh import refresh
from crewmem.files.store import INDEX_NAME, SIDECARS, MemoryIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from crewmem.files.indexed import Policy, Tally
    from crewmem.files.walk import Found


PATIENCE = 5.0
"""Seconds to wait for a file that was just made: another build may look whose it is."""

MODE = 0o644
"""Of a new index, subject to the umask: as SQLite makes it. Who may not read one of
its files may not read it either."""

OWNER = 0o700
"""Whose it is until it is known who may read its files."""


def build(
    root: int,
    folder: int,
    where: Path,
    found: Sequence[Found],
    policy: Policy,
    *,
    now_ns: int,
    tick: Callable[[int, int], None] | None = None,
    before: MemoryIndex | None = None,
    carry: bool = True,
) -> Tally:
    """Build the index of the files below *root* in the directory *where*.

    Readers keep the index that was there, whatever it was, until the new one is
    whole. Interrupted, nothing has changed; what a build left that was killed is
    removed by the next.

    Args:
        root: Descriptor of the memory directory.
        folder: Descriptor of *where*.
        where: What is opened by name, and has to be *folder* in the end.
        found: The directory as it was just walked.
        policy: How it is indexed.
        now_ns: When, in nanoseconds since 1970.
        tick: Told after each file how many were looked at, and of how many.
        before: The index whose vectors are taken over, if somebody has it open: to
            open that in *where* once more would drop the locks on it.
        carry: Whether they are taken over; they are a trace of what was embedded.

    Raises:
        NotWritableError: If *where* cannot be written.
        DiskError: If the disk is full or fails.
    """
    _remove_abandoned(folder)
    temporary = disk.temporary_name(INDEX_NAME)
    try:
        with disk.lock(folder, temporary, timeout=PATIENCE, mode=MODE) as held:
            usual = S_IMODE(os.fstat(held).st_mode)
            disk.set_mode(folder, temporary, usual & OWNER)
            path = where / temporary
            with _before(folder, where, before) if carry else nullcontext() as old:
                tally = _fill(path, root, found, policy, now_ns, tick, old)
            disk.set_mode(folder, temporary, narrowed(usual, tally.shared))
            for sidecar in SIDECARS:
                disk.discard(folder, INDEX_NAME + sidecar)
            narrow(folder, tally.shared)  # the one that it is going to be like
            disk.adopt(folder, temporary, INDEX_NAME)
    except BaseException:
        disk.discard(folder, temporary)
        raise
    return tally


@contextmanager
def _before(
    folder: int, where: Path, opened: MemoryIndex | None
) -> Iterator[MemoryIndex | None]:
    """Yield the index that is to be replaced, if it can be read."""
    if opened:
        yield opened
        return
    path = where / INDEX_NAME
    found = existing(folder, path, Mode.READ, busy_timeout=PATIENCE).memory
    try:
        yield found
    finally:
        if found:
            found.close()


def _carry(before: MemoryIndex, index: MemoryIndex) -> None:
    """Take over what was embedded, as far as it can be read: it was dear to make."""
    with suppress(CrewmemError), index.changing():
        if before.has_vectors:
            index.vectors.carry(before.vectors)


def _remove_abandoned(folder: int) -> None:
    """Remove what builds left that were killed: nobody holds its lock any more."""
    with os.scandir(folder) as entries:
        names = [each.name for each in entries]
    for name in names:
        if disk.is_temporary(name) and name.startswith(f".{INDEX_NAME}."):
            with suppress(CrewmemError), disk.lock(folder, name, timeout=0):
                disk.discard(folder, name)


def _fill(
    path: Path,
    root: int,
    found: Sequence[Found],
    policy: Policy,
    now_ns: int,
    tick: Callable[[int, int], None] | None,
    before: MemoryIndex | None,
) -> Tally:
    index = MemoryIndex.create(path, policy)
    try:
        tally = refresh(root, index, found, policy, now_ns=now_ns, tick=tick)
        if before:
            _carry(before, index)
        index.compact()
    finally:
        index.close()
    return tally
