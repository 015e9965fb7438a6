"""Breaking what is too long for a terminal, below where it began."""

from __future__ import annotations

import os

from crewmem.cli.output import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

    from crewmem.cli.output import Line

USUAL = 80
"""Columns of a terminal that does not say how many it has."""

LEAST = 40
"""Columns below which nothing is broken: it would be no easier to read."""


def columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Return how many columns the terminal of *stream* has."""
    told = environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except (OSError, ValueError):
        return USUAL


def folded(lines: Iterable[Line], most: int, indent: int) -> Iterator[Line]:
    """Yield *lines*, broken between words where they take more than *most* columns.

    What is broken goes on behind *indent* columns. A word that is too long stays whole,
    as a path that somebody copies.
    """
    for line in lines:
        pieces: list[str | tuple[str, str]] = (
            [line] if isinstance(line, str) else [*line]
        )
        texts = [each if isinstance(each, str) else each[1] for each in pieces]
        if most < LEAST or width("".join(texts)) <= most:
            yield line
        else:
            yield from _broken(pieces, most, indent)


def _broken(
    pieces: list[str | tuple[str, str]], most: int, indent: int
) -> Iterator[Line]:
    now: list[str | tuple[str, str]] = []
    taken = 0
    for piece in pieces:
        style, text = ("", piece) if isinstance(piece, str) else piece
        for word in _words(text):
            bare = word.rstrip(" ")
            if taken > indent and taken + width(bare) > most:
                yield _trimmed(now)
                now, taken, word = [" " * indent], indent, word.lstrip(" ")  # noqa: PLW2901
            _add(now, style, word)
            taken += width(word)
    if now:
        yield now


def _add(pieces: list[str | tuple[str, str]], style: str, word: str) -> None:
    """Add *word*, to the piece before it if that has the same style."""
    last = pieces[-1] if pieces else None
    if last is None or (last[0] if isinstance(last, tuple) else "") != style:
        pieces.append((style, word) if style else word)
    elif isinstance(last, tuple):
        pieces[-1] = style, last[1] + word
    else:
        pieces[-1] = last + word


def _trimmed(pieces: list[str | tuple[str, str]]) -> Line:
    """Return *pieces* without the space behind the last word."""
    *others, last = pieces
    if isinstance(last, str):
        return [*others, last.rstrip(" ")]
    return [*others, (last[0], last[1].rstrip(" "))]


def _words(text: str) -> Iterator[str]:
    """Yield *text* in words, each with the spaces behind it; a label stays whole."""
    if text.endswith("  ") and text.strip().isalpha():
        yield text
        return
    word = ""
    for each in text:
        if word.endswith(" ") and each != " ":
            yield word
            word = ""
        word += each
    if word:
        yield word
