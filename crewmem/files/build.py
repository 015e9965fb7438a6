"""Building an index from nothing, aside, and giving it its name when it is whole."""

from __future__ import annotations

from crewmem import disk
from crewmem.files.refresh import refresh
from crewmem.files.store import INDEX_NAME, SIDECARS, MemoryIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from crewmem.files.indexed import Policy, Tally
    from crewmem.files.walk import Found


def build(
    root: int,
    where: Path,
    found: Sequence[Found],
    policy: Policy,
    *,
    now_ns: int,
    tick: Callable[[int, int], None] | None = None,
) -> Tally:
    """Build the index of the files below *root* in the directory *where*.

    Readers keep the index that was there, whatever it was, until the new one is
    whole. Interrupted, nothing has changed.

    Raises:
        NotWritableError: If *where* cannot be written.
        DiskError: If the disk is full or fails.
    """
    with disk.open_root(where) as folder:
        temporary = disk.temporary_name(INDEX_NAME)
        try:
            tally = _fill(where / temporary, root, found, policy, now_ns, tick)
            for sidecar in SIDECARS:
                disk.discard(folder, INDEX_NAME + sidecar)
            disk.adopt(folder, temporary, INDEX_NAME)
        except BaseException:
            disk.discard(folder, temporary)
            raise
    return tally


def _fill(
    path: Path,
    root: int,
    found: Sequence[Found],
    policy: Policy,
    now_ns: int,
    tick: Callable[[int, int], None] | None,
) -> Tally:
    index = MemoryIndex.create(path, policy)
    try:
        tally = refresh(root, index, found, policy, now_ns=now_ns, tick=tick)
        index.compact()
    finally:
        index.close()
    return tally
