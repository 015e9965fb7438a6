"""A table in as many columns as a terminal has. Pure.

What is short is never broken; what is long is, at words, the widest column first. Where
that is not enough each row is told by itself, its cells behind their names.
"""

from __future__ import annotations

from crewmem.cli.output import width
from crewmem.cli.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line, Table

GAP = 2
"""Spaces between columns."""

INDENT, APART = 2, 3
"""Spaces before the cells of a row that is told by itself, and between them."""

SHORT = 12
"""Columns of a text that is read at a glance: an id, a time, a number."""

LONG = 24
"""Columns that the longest word of a column may claim; a path is broken anywhere."""


def laid(table: Table, most: int) -> Iterator[Line]:
    """Yield the lines of *table* in *most* columns; the head is bold."""
    rows = [[visible(cell) for cell in row] for row in (table.columns, *table.rows)]
    columns = [*zip(*rows, strict=True)]
    room = most - GAP * (len(columns) - 1)
    widths = fitted([max(map(width, each)) for each in columns], columns, room)
    if widths is None:
        yield from _each_by_itself(rows, most)
        return
    rights = [name in table.right for name in table.columns]
    for number, row in enumerate(rows):
        for line in _row(row, widths, rights):
            yield line if number else [("bold", line)]


def fitted(
    widths: list[int], columns: Sequence[Sequence[str]], room: int
) -> list[int] | None:
    """Return *widths* as they fit into *room*; None if they cannot.

    The widest give first, and none becomes narrower than its longest word.
    """
    floors = [
        wide if wide <= SHORT else min(LONG, max(map(_longest_word, column)))
        for wide, column in zip(widths, columns, strict=True)
    ]
    if sum(widths) > room and sum(map(min, widths, floors)) > room:
        return None
    found = [
        min(wide, max(room, least)) for wide, least in zip(widths, floors, strict=True)
    ]
    while sum(found) > room:
        wide, at = max((w, i) for i, w in enumerate(found) if w > floors[i])
        found[at] = wide - 1
    return found


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def _row(
    cells: Sequence[str], widths: Sequence[int], rights: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of a row, as many as its longest cell needs."""
    broken = [wrapped(cell, most) for cell, most in zip(cells, widths, strict=True)]
    for at in range(max(map(len, broken))):
        texts = [some[at] if at < len(some) else "" for some in broken]
        yield (
            (" " * GAP)
            .join(
                " " * (wide - width(text)) + text
                if is_right
                else text + " " * (wide - width(text))
                for text, wide, is_right in zip(texts, widths, rights, strict=True)
            )
            .rstrip()
        )


def wrapped(text: str, most: int) -> list[str]:
    """Return *text* in lines of at most *most* columns, broken between words.

    A word that is longer is broken where it is full.
    """
    if width(text) <= most:
        return [text]
    lines, now = [], ""
    for word in text.split():
        if now and width(now) + 1 + width(word) <= most:
            now = f"{now} {word}"
            continue
        if now:
            lines.append(now)
        *full, now = _cut(word, most)
        lines += full
    return [*lines, now]


def _cut(word: str, most: int) -> Iterator[str]:
    """Yield *word* in pieces of at most *most* columns; one has a letter at least."""
    piece = ""
    for each in word:
        if piece and width(piece) + width(each) > most:
            yield piece
            piece = ""
        piece += each
    yield piece


def _each_by_itself(rows: Sequence[Sequence[str]], most: int) -> Iterator[Line]:
    """Yield each row below its first cell; cells that are empty are left out."""
    head, *rest = rows
    for first, *cells in rest:
        yield [("bold", first.rstrip())]
        pairs = zip(head[1:], map(str.strip, cells), strict=True)
        yield from _packed([each for each in pairs if each[1]], most - INDENT)


def _packed(pairs: Sequence[tuple[str, str]], room: int) -> Iterator[Line]:
    """Yield *pairs* of names and cells, as many in a line as there is *room* for."""
    now: list[str | tuple[str, str]] = []
    taken = 0
    for name, cell in pairs:
        wide = width(name) + 1 + width(cell)
        if now and taken + APART + wide > room:
            yield [" " * INDENT, *now]
            now, taken = [], 0
        if now:
            now.append(" " * APART)
            taken += APART
        now += [("dim", name), f" {cell}"]
        taken += wide
    if now:
        yield [" " * INDENT, *now]
