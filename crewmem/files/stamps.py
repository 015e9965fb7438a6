"""The stamps of files of one directory whose names are known: one call a file.

A walk of a large tree is nothing else. What `os.stat` answers is an object of 19
numbers, of which a stamp needs six; where there are thousands of files and the system
is Linux, its own call, ``statx``, fills a buffer instead, from which they are copied a
column at a time. The answers are the same.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import repeat
from operator import attrgetter, itemgetter, mod

from crewmem.files.listing import NANOSECONDS, NUMBERS, packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Stamps = Callable[[int, Sequence[bytes]], "bytes | None"]

KIND, REGULAR, FOLDER = 0o170000, 0o100000, 0o040000
"""Of a mode: what says which kind of thing it is, and two of these. POSIX has them;
the functions of ``stat`` cost a call each."""

MODE = itemgetter(0)
"""Of what a stat answers. By place: an attribute costs twice as much."""


def _part(time: str) -> Callable[[Sequence[os.stat_result]], Iterable[int]]:
    whole = attrgetter(time)
    return lambda found: map(mod, map(whole, found), repeat(NANOSECONDS))


COLUMNS: tuple[Callable[[Sequence[os.stat_result]], Iterable[int]], ...] = (
    partial(map, itemgetter(6)),
    partial(map, itemgetter(8)),
    _part("st_mtime_ns"),
    partial(map, itemgetter(9)),
    _part("st_ctime_ns"),
    partial(map, itemgetter(1)),
)
"""The numbers of stamps, in the order of `listing`, of what stats answer. By place,
where there is one: an attribute costs twice as much."""

MANY = 4_000
"""Files from which on the buffer is faster: to load what calls the system takes as long
as it saves on some three thousand."""

ANSWER = 256
"""Bytes of an answer of ``statx``. It has one layout on all machines; numbers are in
the machine's own order."""

HELD = 1_024
"""Answers that the buffer has room for."""

NO_FOLLOW, BASIC = 0x100, 0x7FF
"""Of ``statx``: a link is looked at itself; and all that a stat tells is wanted."""

KIND_AT = 29
"""Where in an answer the byte of the mode stands that tells the kind of thing."""

PLACES = 40, 112, 120, 96, 104, 32
"""Where in an answer the numbers of a stamp stand, in the order of `listing`. Of
nanoseconds, which are half as wide, what follows is zero."""


def of_files(found: Sequence[os.stat_result]) -> bytes | None:
    """Return the packed stamps of what was *found*; None if not all of it are files."""
    for mode in set(map(MODE, found)):
        if mode & KIND != REGULAR:
            return None
    numbers = [0] * (NUMBERS * len(found))
    for at, column in enumerate(COLUMNS):  # at once: no call for each file
        numbers[at::NUMBERS] = column(found)
    return packed(numbers)


def reader(files: int) -> Stamps:
    """Return what reads stamps by a directory's descriptor and the names in it.

    It answers packed stamps in the order of the names; None if one of them is no
    regular file, or is not there.

    Args:
        files: About how many will be asked for.
    """
    if files < MANY or sys.platform != "linux" or sys.byteorder != "little":
        return by_stat
    return _buffered() or by_stat


def by_stat(directory: int, names: Sequence[bytes]) -> bytes | None:
    """Read stamps with `os.stat`."""
    try:
        found = [
            os.stat(name, dir_fd=directory, follow_symlinks=False) for name in names
        ]
    except OSError:
        return None
    return of_files(found)


def _buffered() -> Stamps | None:
    """Return what reads stamps with ``statx``; None where there is no such call."""
    import ctypes

    try:
        # The lock of the interpreter is kept: to let it go costs as much as the rest.
        statx = ctypes.PyDLL(None).statx
    except (OSError, AttributeError):
        return None
    buffer = bytearray(ANSWER * HELD)
    start = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    places = [ctypes.c_void_p(start + ANSWER * at) for at in range(HELD)]
    numbers = memoryview(buffer).cast("q")

    def stamps(directory: int, names: Sequence[bytes]) -> bytes | None:
        found = []
        for at in range(0, len(names), HELD):
            part = names[at : at + HELD]
            asked = map(
                statx, repeat(directory), part, repeat(NO_FOLLOW), repeat(BASIC), places
            )
            if any(asked):
                return None
            kinds = buffer[KIND_AT : ANSWER * len(part) : ANSWER]
            if any(kind << 8 & KIND != REGULAR for kind in set(kinds)):
                return None
            found.append(_columns(numbers, len(part)))
        return b"".join(found)

    return stamps


def _columns(numbers: memoryview[int], count: int) -> bytearray:
    """Pack the stamps of the first *count* of the answers that *numbers* hold."""
    stamps = bytearray(8 * NUMBERS * count)
    view = memoryview(stamps).cast("q")
    for at, place in enumerate(PLACES):
        view[at::NUMBERS] = numbers[place // 8 : ANSWER // 8 * count : ANSWER // 8]
    return stamps
