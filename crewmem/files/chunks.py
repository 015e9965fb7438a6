"""Cutting a markdown file into the pieces that are searched for. Pure.

Offsets are into a text with a newline put before it: every line, the first too, is
then found by the newline in front of it, and the number of a line is a count of them.
"""

from __future__ import annotations

from itertools import chain, pairwise

from crewmem.files.entries import entries, is_yaml
from crewmem.files.front_matter import front_matter_end, values
from crewmem.files.headings import HEADING_CHARS, headings, trail
from crewmem.files.pieces import pieces
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crewmem.files.fences import Fence
    from crewmem.files.headings import Section

    Passage = tuple[int, int, str, Callable[[str], str] | None]
    """Where it starts and ends, its breadcrumb, and what makes words of its text."""

CHUNK_CHARS = 1000
"""Most characters of a chunk: a section of notes mostly fits, a screen shows it."""


class Chunk(NamedTuple):
    """A run of lines of one file, or a part of one long line.

    Attributes:
        first: Number of its first line, counted from 1. Only a newline ends a line;
            where there is none a carriage return does, as on an old Mac.
        last: Number of its last line, inclusive.
        heading: The headings above it, joined by " > ", its own last; "" above all.
        text: What is shown of it, lines joined by newlines.
        words: What is searched of it: its text; of front matter the values; nothing
            of a heading alone whose words the breadcrumbs of later chunks repeat.
    """

    first: int
    last: int
    heading: str
    text: str
    words: str


def chunks(
    markdown: str, *, limit: int = CHUNK_CHARS, by_entry: bool = False
) -> list[Chunk]:
    """Cut *markdown* at headings and, where a section is longer than *limit*, within.

    Every line with text is in exactly one chunk, in order. Only a line that is itself
    longer than *limit*, which is at least 1, is spread over several, which follow one
    another. With *by_entry* lists are cut before every entry as well.
    """
    return list(iter_chunks(markdown, limit=limit, by_entry=by_entry))


def iter_chunks(
    markdown: str, *, limit: int = CHUNK_CHARS, by_entry: bool = False
) -> Iterator[Chunk]:
    """Return what `chunks` does, one by one: some files have a million."""
    text = "\n" + markdown.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\n" not in text[1:]:  # the line ends of an old Mac
        text = text.replace("\r", "\n")
    return _numbered(text, _passages(text, limit, by_entry=by_entry))


def _numbered(text: str, passages: Iterable[Passage]) -> Iterator[Chunk]:
    line = counted = 0
    for begin, end, heading, reading in passages:
        start, shown = begin, text[begin:end].rstrip()
        if not shown:
            continue
        if shown[0].isspace():
            # Blank lines go, the indentation of the first line stays.
            margin = len(shown) - len(shown.lstrip())
            blank = shown.rfind("\n", 0, margin) + 1
            start, shown = start + blank, shown[blank:]
        line += text.count("\n", counted, start)
        counted = start
        words = shown if reading is None else reading(shown)
        yield Chunk(line, line + shown.count("\n"), heading, shown, words)


def _passages(text: str, limit: int, *, by_entry: bool) -> Iterator[Passage]:
    start = front_matter_end(text)
    for begin, end in pieces(text, 1, start, limit, ()) if start else ():
        yield begin, end, "", values
    if by_entry and is_yaml(text, start):
        yaml = start + 1, len(text)
        for begin, end in _parts(text, *yaml, limit, (), by_entry=True):
            yield begin, end, "", values
    else:
        yield from _sections(text, start, limit, by_entry=by_entry)


def _sections(
    text: str, start: int, limit: int, *, by_entry: bool
) -> Iterator[Passage]:
    fences: list[Fence] = []
    top, bottom = (start + 1, start + 1, 0, ""), (len(text), len(text), 0, "")
    sections = chain((top,), trail(headings(text, start, fences)), (bottom,))
    # When the next section is known, so are the fences before it.
    for section, (end, _, level, _) in pairwise(sections):
        begin, _, own, crumb = section
        if end - begin <= limit and level <= own and not by_entry:
            yield begin, end, crumb, None
            continue
        for first, last in _parts(text, begin, end, limit, fences, by_entry=by_entry):
            is_above = first == begin and (level > own or last < end)
            is_bare = is_above and _is_bare(text, section, last)
            yield first, last, crumb, _nothing if is_bare else None


def _parts(
    text: str,
    begin: int,
    end: int,
    limit: int,
    fences: Sequence[Fence],
    *,
    by_entry: bool,
) -> Iterator[tuple[int, int]]:
    passages = entries(text, begin, end, fences) if by_entry else ((begin, end),)
    for first, last in passages:
        if last - first <= limit:
            yield first, last
        else:
            yield from pieces(text, first, last, limit, fences)


def _is_bare(text: str, section: Section, end: int) -> bool:
    """Tell whether up to *end* there is but the heading, and its crumb holds it all."""
    begin, body, level, _ = section
    is_whole = level > 0 and body - begin <= HEADING_CHARS
    return is_whole and body <= end and not text[body:end].strip()


def _nothing(_: str) -> str:
    return ""
