"""Finding what stands in code fences, and what outside of them. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Fence = tuple[int, int]
    """Where a fenced block starts and ends, its own lines included."""

STRUCTURE = re.compile(
    r"\n([ \t]*+)(?=[-#*+`~=\d])(?:"
    r"(#{1,6})(?![^ \t\n])|"
    r"((?:[-*+]|\d{1,9}[.)])[ \t]++)?+(`{3,}+|~{3,}+)|"
    r"(=++|-++)[ \t]*+(?![^\n]))"
)
"""Lines that may be headings, fences (after a list mark as well), underlines.

The first look at what a line begins with saves a third of the time of a scan.
"""

HASHES, TICKS = 2, 4
"""The last group of `STRUCTURE` in a heading and in a fence; else an underline's."""

SHALLOW = 3
"""Most columns of indentation before markdown takes a line for code."""


def unfenced(text: str, start: int, fences: list[Fence]) -> Iterator[re.Match[str]]:
    """Yield what may be headings and underlines outside of code fences, in order.

    *start* is the newline before the first line that is looked at. *fences* is given
    every fenced block that has been passed.
    """
    opener: re.Match[str] | None = None
    for line in STRUCTURE.finditer(text, start):
        if opener is not None:
            if _closes(line, opener):
                fences.append((opener.start() + 1, line_end(text, line.end())))
                opener = None
                continue
            if not _leaves(line, opener):
                continue
            fences.append((opener.start() + 1, line.start()))
            opener = None
        if line.lastindex != TICKS:
            yield line
        elif _opens(line):
            opener = line
    if opener is not None:
        fences.append((opener.start() + 1, len(text)))


def fence_at(fences: Sequence[Fence], at: int) -> Fence | None:
    """Return which of *fences*, which are in order, a cut at *at* would go through."""
    before = bisect_left(fences, (at,)) - 1
    if before >= 0 and at < fences[before][1]:
        return fences[before]
    return None


def line_end(text: str, at: int) -> int:
    """Return the newline that ends the line of *at*, or the end of *text*."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _opens(line: re.Match[str]) -> bool:
    """Tell a fence from code in a paragraph, which has backticks behind it too."""
    return line[TICKS][0] == "~" or "`" not in _rest(line)


def _closes(line: re.Match[str], opener: re.Match[str]) -> bool:
    return (
        line.lastindex == TICKS
        and line[TICKS].startswith(opener[TICKS])
        and not line[3]
        and _column(line) <= _column(opener) + SHALLOW
        and not _rest(line).strip()
    )


def _leaves(line: re.Match[str], opener: re.Match[str]) -> bool:
    """Tell whether *line* ends the list item in which *opener* stands."""
    column = _column(opener)
    is_in_item = opener[3] is not None or column > SHALLOW
    return is_in_item and len(line[1]) < column


def _column(line: re.Match[str]) -> int:
    """Return how far a fence is indented, by spaces or by a list mark."""
    return len((line[1] + (line[3] or "")).expandtabs(4))


def _rest(line: re.Match[str]) -> str:
    return line.string[line.end() : line_end(line.string, line.end())]
