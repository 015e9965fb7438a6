"""The headings of a markdown text, and the way to each from the top. Pure."""

from __future__ import annotations

import re

from crewmem.files.fences import HASHES, line_end, unfenced
from crewmem.retrieval.clusters import boundary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crewmem.files.fences import Fence

    Heading = tuple[int, int, int, str]
    """Where it starts, the newline that ends it, its level from 1 to 6, its title."""

    Section = tuple[int, int, int, str]
    """The same with the breadcrumb for a title; level 0 is above the first heading."""

HEADING_CHARS = 120
"""Most characters of one heading in a breadcrumb: no line of a terminal holds more."""

ITEM = r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?![^ \t\n])"
"""The start of a list item."""

OTHER_BLOCK = rf"{ITEM}|[ \t]*[>|<]"
"""Starts of lines that are no paragraph: list items, quotes, tables, HTML."""

RULE = r" {0,3}(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})\Z"
"""A rule across the page, which may look like an item."""

SHALLOW_LINE = r"(?m)^(?! {0,3}\t| {4})"
"""The start of a line that is not code; a paragraph may not begin with another."""


def headings(text: str, start: int, fences: list[Fence]) -> Iterator[Heading]:
    """Yield the headings of *text* from the newline at *start*, in order.

    *fences* is given the fenced blocks, whose lines are no headings.
    """
    edge = start + 1
    for line in unfenced(text, start, fences):
        if not "   ".startswith(line[1]):
            continue
        begin, body = line.start() + 1, line_end(text, line.end())
        if line.lastindex == HASHES:
            yield begin, body, len(line[HASHES]), _title(text[line.end() : body])
        else:
            if fences:
                edge = max(edge, fences[-1][1] + 1)
            above = _paragraph(text, edge, begin - 1)
            if above is not None:
                title = " ".join(text[above : begin - 1].split())
                yield above, body, 1 if line[0].lstrip()[0] == "=" else 2, title
        edge = body + 1


def trail(found: Iterable[Heading]) -> Iterator[Section]:
    """Yield *found* with the way to each for its title: "Deploys > Keys"."""
    path: list[tuple[int, str]] = [(0, "")]
    for begin, body, level, title in found:
        while path[-1][0] >= level:
            path.pop()
        above, own = path[-1][1], clipped(title)
        crumb = f"{above} > {own}" if above and own else above or own
        path.append((level, crumb))
        yield begin, body, level, crumb


def clipped(title: str) -> str:
    """Return *title*, cut between two of its characters if it is too long."""
    if len(title) <= HEADING_CHARS:
        return title
    return title[: boundary(title, HEADING_CHARS - 1, 0)].rstrip() + "…"


def _title(line: str) -> str:
    """Return what an ATX heading says, without the hashes that may close it."""
    title = line.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def _paragraph(text: str, edge: int, end: int) -> int | None:
    """Return where the paragraph starts that ends at the newline *end*.

    None where no paragraph ends there, or one that an underline does not make a
    heading. Nothing before *edge* is looked at.
    """
    start, newline = end + 1, end
    while newline >= edge:
        begin = text.rfind("\n", edge - 1, newline) + 1
        line = text[begin:newline]
        if not line or line.isspace() or re.match(RULE, line):
            break
        if re.match(OTHER_BLOCK, line):
            return None
        start, newline = begin, begin - 1
    first = re.compile(SHALLOW_LINE).search(text, start, end)
    return (
        first.start() if first and not _is_in_item(text, edge, first.start()) else None
    )


def _is_in_item(text: str, edge: int, start: int) -> bool:
    """Tell whether what is indented at *start* is so because it goes on in an item."""
    if not text[start].isspace():
        return False
    before = text[edge:start].split("\n")
    return any(re.match(ITEM, each) and not re.match(RULE, each) for each in before)
