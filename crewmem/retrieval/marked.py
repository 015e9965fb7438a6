"""A snippet with what matches between marks, and where that stands. Pure."""

from __future__ import annotations

from crewmem.retrieval.snippet import segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.retrieval.matches import Match

MARK = "**"
"""Around a match: markdown's own, which agents read as it is meant."""

SNIPPET_CHARS = 240
"""Characters of a snippet, marks not counted: three lines of a terminal."""


def marked(
    text: str, found: Sequence[Match], *, start: int = 0, width: int = SNIPPET_CHARS
) -> tuple[str, list[tuple[int, int]]]:
    """Return a line of *text* from *start*, around what was *found*, with marks.

    Of *width* characters at most, marks not counted.

    And where the matches stand in it, as (first, after the last) character, marks not
    included: the text may hold such marks of its own.
    """
    line = ""
    places: list[tuple[int, int]] = []
    for piece, is_match in segments(text, found, width=width, start=start):
        if is_match:
            first = len(line) + len(MARK)
            places.append((first, first + len(piece)))
        line += f"{MARK}{piece}{MARK}" if is_match else piece
    return line, places


def unmarked(line: str, places: Sequence[tuple[int, int]]) -> str:
    """Return a *line* that was `marked`, whose matches stand in *places*, as it was."""
    for first, last in reversed(places):
        line = line[: first - len(MARK)] + line[first:last] + line[last + len(MARK) :]
    return line
