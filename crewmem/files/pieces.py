"""Cutting a passage that is too long for one chunk, where it hurts least. Pure.

Patterns are compiled where they are first used: most files have no such passage, and
compiling these takes longer than cutting the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from crewmem.files.fences import fence_at
from crewmem.retrieval.clusters import boundary, is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.files.fences import Fence

FULL_STOP = r"\u3002\uff01\uff1f"
"""What ends a sentence where no space follows: Chinese and Japanese."""

ENDED = rf"""(?:(?<=[.!?\u2026{FULL_STOP}])|(?<=[.!?\u2026{FULL_STOP}]["')*_`\]]))"""
"""Behind the end of a sentence, which a quote or a bracket may close."""

BETWEEN_LINES = (
    r"\n[^\S\n]*+\n",
    r"\n(?=[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t])",
    rf"{ENDED}\n",
    r"(?<!\n)\n",
)
"""Where to cut, best first: blank lines; list items; ends of sentences; any line."""

WITHIN_LINE = (rf"{ENDED}\s++|(?<=[{FULL_STOP}])", r"\s++", r"(?<=[^\w\s])")
"""The same in a line that is too long: sentences, words, then beside punctuation."""

AHEAD = 16
"""How far a pattern looks beyond the place of the cut."""


def pieces(
    text: str, begin: int, end: int, limit: int, fences: Sequence[Fence]
) -> Iterator[tuple[int, int]]:
    """Cut *text* from *begin* to *end* into passages of up to *limit* characters.

    White space around a passage does not count. A piece is filled to a quarter at
    least where what follows can be cut. A line of up to *limit* characters is never
    cut, nor one of *fences*, which are in order.
    """
    first, last = bisect_left(fences, (begin,)), bisect_left(fences, (end,))
    whole = [(a, z) for a, z in fences[first:last] if z - a <= limit]
    end = begin + len(text[begin:end].rstrip())
    begin = _skipped(text, begin - 1, end, limit)
    while end - begin > limit:
        cut = _cut(text, begin, end, limit, whole)
        yield begin, cut
        begin = _skipped(text, cut, end, limit)
    yield begin, end


def _skipped(text: str, at: int, end: int, limit: int) -> int:
    """Return where text goes on after the white space at *at*, indented as it was."""
    found = re.compile(r"\S").search(text, at, end)
    start = found.start() if found else end
    newline = text.rfind("\n", at, start)
    is_margin = newline >= 0 and start - newline - 1 <= limit // 4
    return newline + 1 if is_margin else start


def _cut(text: str, start: int, end: int, limit: int, whole: Sequence[Fence]) -> int:
    """Return where the piece ends that begins at *start*: at most *limit* further."""
    low, high = start + max(limit // 4, 1), start + limit
    if straddling := fence_at(whole, high):
        return straddling[0]
    for pattern in BETWEEN_LINES:
        if found := _places(pattern, text, low, high):
            cut = found[-1][0]
            fence = fence_at(whole, cut)
            return fence[1] if fence else cut
    newline = text.rfind("\n", start, high + 1)
    if newline >= 0 and _line_fits(text, newline + 1, end, limit):
        return newline
    low = max(low, newline + 1)
    return _cut_line(text, start, low, _reach(text, high, end, limit))


def _cut_line(text: str, start: int, low: int, high: int) -> int:
    for pattern in WITHIN_LINE:
        for cut, rest in reversed(_places(pattern, text, low, high)):
            if not is_within(text, rest, start):
                return cut
    return boundary(text, high, start)


def _line_fits(text: str, start: int, end: int, limit: int) -> bool:
    return end - start <= limit or text.find("\n", start, start + limit + 1) >= 0


def _reach(text: str, high: int, end: int, limit: int) -> int:
    """Return *high*, or less where that would leave a crumb of the line."""
    least = limit // 4
    newline = text.find("\n", high, high + least)
    rest = newline if newline >= 0 else end
    return min(high, rest - least)


def _places(pattern: str, text: str, low: int, high: int) -> list[tuple[int, int]]:
    """Return where *pattern* starts between *low* and *high*, and where it ends."""
    found = re.compile(pattern).finditer(text, low, high + AHEAD)
    return [place.span() for place in found if place.start() <= high]
