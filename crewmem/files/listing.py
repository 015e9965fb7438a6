"""The names and stamps of one directory's files, and how two of them differ. Pure.

A listing is kept packed in the index, so that the usual answer (nothing has
changed) is one comparison of bytes for each directory, however many files it has.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Stamp = tuple[int, int, int, int]
"""Size in bytes, mtime_ns, ctime_ns and inode of a file.

ctime is not part of what is asked of a stamp, but it is what a write cannot
hide: a file that was changed and had its mtime set back is seen by it.
"""

FITTING = (1 << 63) - 1
"""What of a number that is too large is kept."""

WIDTH = 8
"""Bytes of a packed number."""

ODD = -1
"""Stands for the size of what is named like a memory file and is not a file."""


def pack(names: Sequence[str], stamps: Sequence[int]) -> bytes:
    """Pack *names* and their *stamps*, four numbers a name, in the order given."""
    layout = f"{1 + len(stamps)}q"
    try:
        numbers = struct.pack(layout, len(names), *stamps)
    except struct.error:  # some systems use the 64th bit for inodes
        fitting = (number & FITTING for number in stamps)
        numbers = struct.pack(layout, len(names), *fitting)
    return numbers + "\0".join(names).encode("utf-8", "surrogateescape")


def unpack(packed: bytes) -> dict[str, Stamp]:
    """Return the stamps by name; nothing of a listing that another machine packed."""
    numbers = _numbers(packed)
    names = packed[WIDTH * (1 + len(numbers)) :].decode("utf-8", "surrogateescape")
    columns = iter(numbers)
    stamps = zip(columns, columns, columns, columns, strict=False)
    return dict(zip(names.split("\0"), stamps, strict=False))


def sizes(packed: bytes) -> tuple[int, ...]:
    """Return the sizes of a listing; `ODD` of what is no file. It is quick."""
    return _numbers(packed)[0::4]


def latest(packed: bytes) -> int:
    """Return the latest ctime of a listing; 0 for an empty one."""
    return max(_numbers(packed)[2::4], default=0)


def _numbers(packed: bytes) -> tuple[int, ...]:
    if len(packed) < WIDTH:
        return ()
    (count,) = struct.unpack_from("q", packed)
    if not 0 < count <= len(packed) // WIDTH // 4:
        return ()
    return struct.unpack_from(f"{4 * count}q", packed, WIDTH)


def same_file(stored: Stamp | None, found: Stamp, *, copied: bool) -> bool:
    """Tell whether a file is as it was: by all of its stamp, or by size and mtime.

    In a tree that was *copied* inode and ctime say nothing.
    """
    if stored is None:
        return False
    return stored[:2] == found[:2] if copied else stored == found


def is_copy(stored: Mapping[str, Stamp], found: Mapping[str, Stamp]) -> bool:
    """Tell whether every file that both hold has another inode: a copied tree."""
    both = stored.keys() & found.keys()
    return bool(both) and all(stored[name][3] != found[name][3] for name in both)
