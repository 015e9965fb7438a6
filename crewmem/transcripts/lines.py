"""Lines of a log that is still being written, whatever its size. Pure.

Only what ends with a newline is a line: what is behind the last one is still being
written, and is there next time.
"""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int], bytes]
    """Returns so many of the next bytes, or fewer; none at the end."""

LINE_MOST = 64 << 20
"""Most bytes of a line: images and files stand in them."""

PIECE = 256 << 10
"""Bytes that are read at a time."""

BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line.

    Attributes:
        number: Counted from 1.
        start: The byte it begins at.
        end: The byte behind its newline.
        content: Without its end; None if it is longer than `LINE_MOST`.
    """

    number: int
    start: int
    end: int
    content: bytes | None


def lines(read: Read, *, at: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the whole lines of what *read* returns.

    Args:
        read: Where they come from.
        at: The byte at which that begins, the beginning of a line.
        number: How many lines are before it.
    """
    parts: list[bytes] = []
    start, size = at, 0
    while piece := read(PIECE):
        begun = 0
        while (found := piece.find(b"\n", begun)) >= 0:
            number += 1
            size += found - begun
            content = None
            if size <= LINE_MOST:
                content = b"".join((*parts, piece[begun:found]))
            end = start + size + 1
            yield Line(number, start, end, _bare(content, start))
            parts, size, start, begun = [], 0, end, found + 1
        size += len(piece) - begun
        if size > LINE_MOST:
            parts = []
        else:
            parts.append(piece[begun:])


def _bare(content: bytes | None, start: int) -> bytes | None:
    if content is None:
        return None
    return (content if start else content.removeprefix(BOM)).strip()
