"""The names and stamps of one directory's files, and how two of them differ. Pure.

A listing is kept packed in the index, so that the usual answer (nothing has
changed) is one comparison of bytes for each directory, however many files it has.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Stamp = tuple[int, int, int, int]
"""Size in bytes, mtime_ns, ctime_ns and inode of a file.

ctime is not part of what is asked of a stamp, but it is what a write cannot
hide: a file that was changed and had its mtime set back is seen by it.
"""

WIDTH = 8
"""Bytes of a packed number."""

NUMBERS = 6
"""Of a packed stamp: size, mtime and ctime in seconds and nanoseconds, inode. That is
how a system tells them: what was not changed need not be made numbers of."""

MARK = 1 << 48
"""Stands before the count of files; a listing of another make has none."""

EMPTY = struct.pack("q", MARK)
"""The listing of a directory without files."""

NANOSECONDS = 1_000_000_000

ODD = -1
"""Stands for the size of what is named like a memory file and is not a file."""


def pack(files: Mapping[str, Stamp]) -> bytes:
    """Pack the names of *files* and their stamps, in the order given."""
    numbers: list[int] = []
    for size, mtime, ctime, inode in files.values():
        times = *divmod(mtime, NANOSECONDS), *divmod(ctime, NANOSECONDS)
        numbers += (size, *times, inode)
    return join(packed(numbers), encoded(files))


def packed(numbers: Sequence[int]) -> bytes:
    """Pack *numbers*, six a stamp; of one that is too large, its lower 64 bits."""
    layout = f"{len(numbers)}q"
    try:
        return struct.pack(layout, *numbers)
    except struct.error:  # some systems use the 64th bit for inodes
        return struct.pack(layout, *(wrapped(number) for number in numbers))


def wrapped(number: int) -> int:
    """Return *number* as its lower 64 bits, of which the first is the sign."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def encoded(names: Iterable[str]) -> bytes:
    """Return *names* in one piece, spelled as the system spells them."""
    return "\0".join(names).encode("utf-8", "surrogateescape")


def join(stamps: bytes, names: bytes) -> bytes:
    """Make a listing of packed *stamps* and of encoded *names* in the same order."""
    count = len(stamps) // (WIDTH * NUMBERS)
    return struct.pack("q", MARK | count) + stamps + names


def restamped(listing: bytes, stamps: bytes) -> bytes:
    """Return *listing* with other packed *stamps* of the same files."""
    return join(stamps, listing[WIDTH + len(stamps) :])


def names_of(listing: bytes) -> list[bytes] | None:
    """Return the names of *listing*, as the system has them; None: it is damaged."""
    count = _count(listing)
    names = listing[WIDTH * (1 + NUMBERS * count) :]
    if not count:
        return None if names else []
    return names.split(b"\0") if names.count(b"\0") == count - 1 else None


def unpack(listing: bytes) -> dict[str, Stamp]:
    """Return the stamps by name; nothing of a listing that another machine packed."""
    numbers = _numbers(listing)
    names = listing[WIDTH * (1 + len(numbers)) :].decode("utf-8", "surrogateescape")
    columns = [iter(numbers)] * NUMBERS
    stamps = (
        (size, mtime * NANOSECONDS + of_mtime, ctime * NANOSECONDS + of_ctime, inode)
        for size, mtime, of_mtime, ctime, of_ctime, inode in zip(*columns, strict=True)
    )
    return dict(zip(names.split("\0"), stamps, strict=False))


def sizes(listing: bytes) -> tuple[int, ...]:
    """Return the sizes of *listing*; `ODD` of what is no file. It is quick."""
    return _numbers(listing)[0::NUMBERS]


def latest(listing: bytes) -> int:
    """Return the latest ctime of *listing*, in nanoseconds; 0 for an empty one."""
    numbers = _numbers(listing)
    times = zip(numbers[3::NUMBERS], numbers[4::NUMBERS], strict=True)
    seconds, nanoseconds = max(times, default=(0, 0))
    return seconds * NANOSECONDS + nanoseconds


def _numbers(listing: bytes) -> tuple[int, ...]:
    count = _count(listing)
    return struct.unpack_from(f"{NUMBERS * count}q", listing, WIDTH) if count else ()


def _count(listing: bytes) -> int:
    """Return how many files *listing* has; 0 for what another machine packed."""
    if len(listing) < WIDTH:
        return 0
    (count,) = struct.unpack_from("q", listing)
    count -= MARK
    return count if 0 < count <= len(listing) // WIDTH // NUMBERS else 0


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
