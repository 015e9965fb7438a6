"""The names and stamps of one directory's files, and how two of them differ. Pure.

A listing is kept packed in the index, so that the usual answer (nothing has
changed) is one comparison of bytes for each directory, however many files it has.
"""

from __future__ import annotations

from array import array

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

ODD = -1
"""Stands for the size of what is named like a memory file and is not a file."""


def pack(names: Sequence[str], stamps: Sequence[int]) -> bytes:
    """Pack *names* and their *stamps*, four numbers a name, in the order given."""
    try:
        numbers = array("q", [len(names), *stamps])
    except OverflowError:  # some systems use the 64th bit for inodes
        numbers = array("q", [len(names), *(number & FITTING for number in stamps)])
    return numbers.tobytes() + "\0".join(names).encode("utf-8", "surrogateescape")


def unpack(packed: bytes) -> dict[str, Stamp]:
    """Return the stamps by name; nothing of a listing that another machine packed."""
    width = array("q").itemsize
    if len(packed) < width:
        return {}
    numbers = array("q", packed[:width])
    end = width * (1 + 4 * numbers[0])
    if not 0 < numbers[0] <= len(packed):
        return {}
    numbers = array("q", packed[width:end])
    names = packed[end:].decode("utf-8", "surrogateescape").split("\0")
    columns = iter(numbers)
    stamps = zip(columns, columns, columns, columns, strict=False)
    return dict(zip(names, stamps, strict=False))


def latest(packed: bytes) -> int:
    """Return the latest ctime of a listing that was packed here; 0 for an empty one."""
    numbers = array("q", packed[: array("q").itemsize])
    numbers.frombytes(packed[numbers.itemsize :][: 4 * numbers.itemsize * numbers[0]])
    return max(numbers[3::4], default=0)


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
