"""How much can still be written where memory is, and how much should be.

`status` looks at this as well: three sizes and one question to the file system.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

DATABASES = ("crewmem.db", "crewmem.db-wal", "vectors.sqlite")
"""What of a home is copied whole, called as in db/truth.py and vectors/."""

FULL, LOW = 20_000_000, 100_000_000
"""Bytes under which a write of any command may fail, and a job of the night, whatever
the size of memory: a file, its versions, an index."""


def free_bytes(base: Path | None) -> int | None:
    """Return what can still be written at *base*; None if nothing can, or who knows."""
    if base is None or disk.is_read_only(base):
        return None
    try:
        status = os.statvfs(base)
    except OSError:
        return None
    return status.f_bavail * status.f_frsize


def taken_bytes(home: Path | None) -> int:
    """Return how many bytes the databases of *home* take: what is copied whole."""
    sizes = []
    for name in DATABASES if home else ():
        with suppress(OSError):
            sizes.append(os.stat(f"{home}/{name}").st_size)  # noqa: PTH116 - names
    return sum(sizes)


def is_full(free: int, taken: int) -> bool:
    """Tell whether the next write may fail: *free* does not hold what is *taken*."""
    return free < max(FULL, taken)
