"""The part of a memory file that crewmem owns, between two marks. Pure.

All else in the file is a person's or an agent's, and is kept byte for byte, whatever
its line ends and encoding: bytes are never decoded here. Within the section lines are
added, and lines of ours are taken out; what somebody else wrote there stays as well.
"""

from __future__ import annotations

import re
from functools import lru_cache

from crewmem.errors.consolidation import SectionDamagedError
from crewmem.files.change import BOM, WIDE, line_end
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

IDS = re.compile(rb"((?:; (?:j_[0-9a-hjkmnp-tv-z]{12}|#[0-9a-f]{12}))+)\)[ \t\r]*\Z")
"""The entries that a line of ours leads to, at its end; of an imported one, whose id
may be anything, the beginning of a hash."""


class Kind(NamedTuple):
    """A section.

    Attributes:
        name: What its marks hold.
        heading: What stands above it when it is made; from then on it is anybody's.
    """

    name: str
    heading: str

    @property
    def marks(self) -> tuple[bytes, bytes]:
        """The lines that open and close it."""
        return (
            f"<!-- crewmem:{self.name} -->".encode(),
            f"<!-- /crewmem:{self.name} -->".encode(),
        )


LEARNED = Kind("consolidated", "## Learned from notes")
PINNED = Kind("pinned", "## Pinned entries")


class Section(NamedTuple):
    """A file, cut at its section.

    Attributes:
        head: What is above, with the line that opens it.
        body: The lines inside, with their ends.
        tail: The line that closes it, and what is below.
    """

    head: bytes
    body: bytes
    tail: bytes

    @property
    def ids(self) -> frozenset[str]:
        """The entries that lines inside lead to."""
        return frozenset(one for each in lines(self.body) for one in entries_of(each))


def section(content: bytes, kind: Kind) -> Section | None:
    """Return *content* cut at its section of a *kind*; None if it has none.

    Raises:
        SectionDamagedError: If a mark is missing, double or in the wrong place, or
            the file is no text: nobody can tell what is whose.
    """
    _require_text(content)
    opening, closing = kind.marks
    opened: list[tuple[int, int]] = []
    closed: list[tuple[int, int]] = []
    end = 0
    for number, line in enumerate(lines(content), 1):
        start, end = end, end + len(line)
        said = line.removeprefix(BOM).strip()
        if said == opening:
            opened.append((number, end))
        elif said == closing:
            closed.append((number, start))
    if not opened and not closed:
        return None
    _require_pair(opened, closed, kind)
    (_, first), (_, last) = opened[0], closed[0]
    return Section(content[:first], content[first:last], content[last:])


def added(content: bytes, kind: Kind, new: Sequence[str]) -> bytes:
    """Return *content* with *new* lines at the end of its section, which is made.

    Lines whose entry has one there already are left out.

    Raises:
        SectionDamagedError: If the section is damaged.
    """
    cut = section(content, kind)
    known = cut.ids if cut else frozenset()
    encoded = [each.encode("utf-8", "replace") for each in new]
    fresh = [each for each in encoded if leads_to(each) not in known]
    if not fresh:
        return content
    ending = line_end(content).encode() if content else b"\n"
    if cut is None:
        return content + _made(content, kind, fresh, ending)
    body = cut.body
    if body and not body.endswith((b"\n", b"\r")):
        body += ending
    return b"".join((cut.head, body, *(each + ending for each in fresh), cut.tail))


def without(content: bytes, kind: Kind, gone: Collection[str]) -> bytes:
    """Return *content* without the lines of its section that lead to a *gone* entry.

    Raises:
        SectionDamagedError: If the section is damaged.
    """
    cut = section(content, kind)
    if cut is None:
        return content
    kept = [e for e in lines(cut.body) if not any(i in gone for i in entries_of(e))]
    return b"".join((cut.head, *kept, cut.tail))


def with_lines(content: bytes, kind: Kind, change: Callable[[bytes], bytes]) -> bytes:
    """Return *content* with each line of its section as *change* makes it.

    Raises:
        SectionDamagedError: If the section is damaged.
    """
    cut = section(content, kind)
    if cut is None:
        return content
    return b"".join((cut.head, *map(change, lines(cut.body)), cut.tail))


def lines(content: bytes) -> Iterator[bytes]:
    """Yield the lines of *content* with their ends, of whatever system they are."""
    yield from re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", content)


def leads_to(line: bytes) -> str:
    """Return the entry that *line*, one of a section, leads to; "" for none."""
    return next(iter(entries_of(line)), "")


@lru_cache(maxsize=1 << 10)  # of a file that is planned line by line
def entries_of(line: bytes) -> tuple[str, ...]:
    """Return all entries that *line*, one of a section, leads to."""
    found = IDS.search(line.rstrip(b"\r\n"))
    return tuple(found[1].decode()[2:].split("; ")) if found else ()


def _made(content: bytes, kind: Kind, new: Sequence[bytes], ending: bytes) -> bytes:
    """Return what is put below *content* to give it a section with *new* lines."""
    apart = b""
    if content.removeprefix(BOM):
        apart = ending
        if not content.endswith((b"\n", b"\r")):
            apart += ending
        elif content.endswith((b"\n\n", b"\n\r\n", b"\r\r")):
            apart = b""
    opening, closing = kind.marks
    parts = (kind.heading.encode(), b"", opening, *new, closing, b"")
    return apart + ending.join(parts)


def _require_text(content: bytes) -> None:
    if content[:2] in WIDE or b"\0" in content:
        raise SectionDamagedError("it is no text in UTF-8")


def _require_pair(
    opened: Sequence[tuple[int, int]], closed: Sequence[tuple[int, int]], kind: Kind
) -> None:
    opening, closing = (each.decode() for each in kind.marks)
    for found, mark in ((opened, opening), (closed, closing)):
        if len(found) > 1:
            numbers = ", ".join(str(number) for number, _ in found)
            raise SectionDamagedError(f"{mark} stands in lines {numbers}")
    if not closed:
        raise SectionDamagedError(f"line {opened[0][0]} is never closed: {closing}")
    if not opened:
        raise SectionDamagedError(f"line {closed[0][0]} closes nothing: {opening}")
    if closed[0][0] < opened[0][0]:
        numbers = f"line {closed[0][0]} closes what line {opened[0][0]} opens"
        raise SectionDamagedError(numbers)
