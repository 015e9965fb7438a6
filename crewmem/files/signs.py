"""The sign of a directory: as long as it holds, the names in it are the same. Pure.

A sign is kept beside the directory's listing in the index, so that a walk need not
read again which names there are, only how each file stands.
"""

from __future__ import annotations

import struct

from crewmem.files.listing import encoded, wrapped
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

SIGN = struct.Struct("4q")
"""Device, inode, mtime_ns and ctime_ns of a directory. A name that is added, taken away
or given to something else changes the times, and nobody can set ctime back."""


class Known(NamedTuple):
    """What an index knows of the directories of a tree, by their paths.

    Attributes:
        listings: Their files, as `listing.pack` has them.
        signs: Their signs; empty where the names are not to be relied on.
    """

    listings: Mapping[str, bytes]
    signs: Mapping[str, bytes]


UNKNOWN = Known({}, {})
"""What is known of a tree that was never walked."""


def sign(status: os.stat_result, folders: Sequence[str]) -> bytes:
    """Return the sign of a directory of that *status*, which holds *folders*."""
    return _stamp(status) + encoded(folders)


def holds(signed: bytes, status: os.stat_result) -> bool:
    """Tell whether a directory of that *status* holds the names that it held."""
    return signed.startswith(_stamp(status))


def folders_of(signed: bytes) -> list[str]:
    """Return the names of the directories in a directory that was *signed*."""
    names = signed[SIGN.size :].decode("utf-8", "surrogateescape")
    return names.split("\0") if names else []


def signed_at(signed: bytes) -> int:
    """Return the ctime, in nanoseconds, that a directory was *signed* with."""
    changed: int = SIGN.unpack_from(signed)[3] if signed else 0
    return changed


def _stamp(status: os.stat_result) -> bytes:
    numbers = status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns
    return SIGN.pack(*map(wrapped, numbers))
