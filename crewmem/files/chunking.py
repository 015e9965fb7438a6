"""Chunks: the passages of a markdown file that are indexed, and the fields of its front matter.

A file is split at its headings, a long section further where it hurts least. Every line
with text is in exactly one chunk, in order; only a line that is itself longer than the
limit is spread over several.
"""

import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import category

from crewmem.documents import BREADCRUMB
from crewmem.text.markdown import Block, parse_blocks, split_front_matter

MAX_HEADING = 120
"""Most characters of one heading in a breadcrumb: no line of a terminal holds more."""

EVIDENCE = re.compile(r" \((?:[^()\s]+@[0-9a-f]{8}|j_[0-9a-z]{12})(?:, [^()\n]*)?\)$", re.MULTILINE)
"""What consolidation writes at the end of the lines of its section; nobody searches for it."""

OWN_END = "<!-- /crewmem:"
"""Begins the line behind that section."""

Span = tuple[int, int]
Split = Callable[[str, int, int], Iterator[int]]
"""Yields where a text may be cut between two offsets."""


class Chunk(NamedTuple):
    """A run of lines of a file.

    Attributes:
        first_line: Counted from 1, as *last_line*, which is included.
        heading: The headings above it joined by " > ", its own last.
        text: As it is shown, lines joined by newlines.
        words: What is indexed of it: the text; of front matter only the values; "" for a
            heading alone, which the breadcrumbs of the chunks below it repeat.
    """

    first_line: int
    last_line: int
    heading: str
    text: str
    words: str


class Fields(NamedTuple):
    """What the front matter of a file says.

    Attributes:
        aliases: Further titles.
        dated: The day that it says the note is of, as ``2026-05-01``; "" for none.
    """

    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    dated: str = ""


NO_FIELDS = Fields()


def normalize(text: str) -> str:
    """Return *text* with a newline at the end of each line, and without a byte order mark.

    Lines keep their numbers. A text whose only line ends are carriage returns is of an old Mac.
    """
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    return text


BINARY_SAMPLE = 8_192
"""Bytes at the start of a file that decide whether it is text."""

MAX_BAD_SHARE = 0.2
"""Maximum share of NUL and undecodable bytes in a text. Latin-1 letters are far fewer."""


def decode(content: bytes) -> tuple[str, str]:
    """Return the normalized text of a file, and what is wrong with it. A binary file has none."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return normalize(content.decode("utf-16", "replace")), "it is UTF-16, not UTF-8"
    sample = content[:BINARY_SAMPLE]
    undecodable = len(sample) - len(sample.decode("utf-8", "ignore").encode())
    if sample.count(b"\0") + undecodable > MAX_BAD_SHARE * len(sample):
        return "", "it is binary"
    try:
        return normalize(content.decode("utf-8")), ""
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        return normalize(text), "it is not UTF-8: what cannot be read was replaced"


def split_chunks(text: str, *, limit: int, by_entry: bool = False) -> list[Chunk]:
    """Split a normalized markdown text into chunks.

    Args:
        text: As `normalize` returns it.
        limit: Most characters of a chunk; the setting ``files.max_chunk``.
        by_entry: Whether every entry of a list is a chunk: of lessons. In the section that
            consolidation owns it is one in any file.
    """
    blocks = parse_blocks(text)
    starts = [
        index
        for index, block in enumerate(blocks)
        if block.kind == "heading" or (index and blocks[index - 1].kind == "front_matter")
    ]
    if blocks and (not starts or starts[0]):
        starts.insert(0, 0)
    chunks: list[Chunk] = []
    has_own = OWN_END in text
    for start, end in pairwise([*starts, len(blocks)]):
        level = blocks[end].level if end < len(blocks) else 0
        section = blocks[start:end]
        entries = by_entry or (has_own and any(b.text.startswith(OWN_END) for b in section))
        chunks += _split_section(text, section, limit, level, by_entry=entries)
    return chunks


def read_fields(text: str) -> Fields:
    """Read the front matter of a normalized markdown text."""
    if not text.startswith("---"):
        return NO_FIELDS
    values, _ = split_front_matter(text)
    if not values:
        return NO_FIELDS
    named = {name.lower(): value for name, value in values.items()}
    dated = ""
    for name in ("date", "day", "updated", "modified", "created"):
        if name in named and (dated := _day(named[name])):
            break
    title = named.get("title")
    return Fields(
        title=" ".join(str(title).split()) if isinstance(title, str | int | float) else "",
        aliases=_texts(named.get("aliases", named.get("alias"))),
        tags=tuple(
            dict.fromkeys(
                tag.strip("#'\"").lower()
                for tag in _texts(named.get("tags", named.get("tag")), split=True)
            )
        ),
        dated=dated,
    )


def _texts(value: Any, *, split: bool = False) -> tuple[str, ...]:
    """Return a value of front matter as texts: a list, or one text; tags may share a line."""
    if isinstance(value, str):
        pattern = r"[,\s]+" if split else r"\s*,\s*"
        value = re.split(pattern, value)
    elif not isinstance(value, list):
        value = [value]
    found = (" ".join(str(each).split()) for each in value if isinstance(each, str | int | float))
    return tuple(text for text in found if text)


def _day(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        return ""


def _split_section(
    text: str, blocks: list[Block], limit: int, next_level: int, *, by_entry: bool
) -> Iterator[Chunk]:
    """Split the *blocks* of one section, a heading first where there is one."""
    first, begin, finish = blocks[0], blocks[0].start, blocks[-1].end
    breadcrumb = BREADCRUMB.join(map(_shorten, first.heading))
    if by_entry and first.kind != "front_matter":
        spans = [
            span
            for start, end in _entries(blocks)
            for span in _split(text, blocks, start, end, limit)
        ]
    elif finish - begin <= limit:
        spans = [(begin, finish)]
    else:
        spans = _split(text, blocks, begin, finish, limit)
    is_heading = first.kind == "heading"
    line, counted = first.first_line, begin
    for start, end in spans:
        shown = text[start:end]
        line += text.count("\n", counted, start)
        counted = start
        words = shown
        if first.kind == "front_matter":
            words = _front_matter_values(shown)
        elif is_heading and end <= first.end and (len(spans) > 1 or next_level > first.level):
            # The breadcrumbs below repeat it, unless they had to shorten it.
            words = "" if len(shown) <= MAX_HEADING else shown
        yield Chunk(line, line + shown.count("\n"), breadcrumb, shown, words)


def _shorten(heading: str) -> str:
    if len(heading) <= MAX_HEADING:
        return heading
    return heading[: _between_characters(heading, MAX_HEADING - 1, 0)].rstrip() + "…"


def _front_matter_values(text: str) -> str:
    """Return the values of YAML-like lines: their keys would match every file."""
    return " ".join(
        re.sub(r"(?m)^[ \t]*(?:- )*[\w.-]+:(?=\s|$)|^(?:---|\.\.\.)\s*$", " ", text).split()
    )


def _entries(blocks: Sequence[Block]) -> Iterator[Span]:
    """Yield the span of each entry: a list item with all that belongs to it."""
    start = 0
    for index, block in enumerate(blocks):
        begins = block.level <= 1 and block.kind in ("list_item", "heading", "rule")
        after_list = block.kind == "paragraph" and blocks[index - 1].kind in ("list_item", "html")
        if index > start and (begins or after_list):
            yield blocks[start].start, blocks[index - 1].end
            start = index
    yield blocks[start].start, blocks[-1].end


def _split(text: str, blocks: Sequence[Block], start: int, end: int, limit: int) -> list[Span]:
    """Split a span into spans of at most *limit* characters, at the best places that fit.

    A part is cut at blank lines; what is then still too long between blocks (list items,
    rows of code and prose), then behind sentences, at line ends, and last within lines.
    """
    if end - start <= limit:
        return [(start, end)]
    starts = [block.start for block in blocks]

    def at_blocks(_: str, start: int, end: int) -> Iterator[int]:
        yield from starts[bisect_right(starts, start) : bisect_left(starts, end)]

    def at_blank_lines(_: str, start: int, end: int) -> Iterator[int]:
        for index in range(bisect_right(starts, start), bisect_left(starts, end)):
            if blocks[index].first_line > blocks[index - 1].last_line + 1:
                yield starts[index]

    levels: tuple[Split, ...] = (
        at_blank_lines,
        at_blocks,
        _at_sentence_lines,
        _at_lines,
        _at_sentences,
        _at_words,
    )
    return _split_at(text, start, end, limit, levels)


def _split_at(text: str, start: int, end: int, limit: int, levels: Sequence[Split]) -> list[Span]:
    span = _strip(text, start, end)
    if span is None:
        return []
    start, end = span
    if end - start <= limit:
        return [span]
    if not levels:
        return _split_characters(text, start, end, limit)
    found: list[Span] = []
    begin = previous = start
    for cut in [*levels[0](text, start, end), end]:
        too_long = _stripped_end(text, begin, cut) - begin > limit
        if too_long and previous > begin:
            found += _split_at(text, begin, previous, limit, levels[1:])
            begin = previous
            too_long = _stripped_end(text, begin, cut) - begin > limit
        if too_long:
            found += _split_at(text, begin, cut, limit, levels[1:])
            begin = cut
        previous = cut
    if begin < end:
        found += _split_at(text, begin, end, limit, levels[1:])
    return found


def _stripped_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _strip(text: str, start: int, end: int) -> Span | None:
    """Leave out blank lines at both ends; the first line keeps its indentation."""
    end = _stripped_end(text, start, end)
    begin = start
    while begin < end and text[begin].isspace():
        begin += 1
    if begin >= end:
        return None
    newline = text.rfind("\n", start, begin)
    if newline >= 0:
        start = newline + 1
    elif start and text[start - 1] != "\n":
        start = begin  # within a line
    return start, end


# Patterns that begin with a set of characters are ten times as fast as others.
SENTENCE_LINE = r"""[.!?…。！？](?:(?<![。！？])["')*_`\]])?[ \t]*\n"""
SENTENCE = r"""[.!?…。！？](?:(?<=[。！？])|["')*_`\]]?\s+)"""


def _at_sentence_lines(text: str, start: int, end: int) -> Iterator[int]:
    for match in re.compile(SENTENCE_LINE).finditer(text, start, end):
        yield match.end()


def _at_lines(text: str, start: int, end: int) -> Iterator[int]:
    at = text.find("\n", start, end)
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1, end)


def _at_sentences(text: str, start: int, end: int) -> Iterator[int]:
    for match in re.compile(SENTENCE).finditer(text, start, end):
        if start < match.end() < end:
            yield match.end()


def _at_words(text: str, start: int, end: int) -> Iterator[int]:
    for match in re.compile(r"\s+").finditer(text, start, end):
        yield match.end()


def _split_characters(text: str, start: int, end: int, limit: int) -> list[Span]:
    """Split a run without spaces, beside punctuation where there is some."""
    found: list[Span] = []
    while end - start > limit:
        cut = start + limit
        for match in re.compile(r"[^\w\s]").finditer(text, start + limit // 2, cut):
            cut = match.end()
        cut = _between_characters(text, cut, start)
        found.append((start, cut))
        start = cut
    return [*found, (start, end)]


def _between_characters(text: str, at: int, start: int) -> int:
    """Return the last place up to *at* that is not inside what a reader takes for one character.

    Marks, joined emoji, skin tones, flags and jamo stay with what they follow; a character
    that fills everything from *start* is cut all the same.
    """
    cut = at
    while cut > start and _joins(text[cut - 1], text[cut] if cut < len(text) else ""):
        cut -= 1
    return cut if cut > start else at


def _joins(before: str, after: str) -> bool:
    if after < "\u0300" and before < "\u0300":
        return False
    return (
        (after != "" and category(after)[0] == "M")
        or (after != "" and after in "\u200c\u200d\u0e33\u0eb3")
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
        or "\u1160" <= after <= "\u11ff"
    )
