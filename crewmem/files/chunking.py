"""Split a markdown file into the chunks that are indexed, and read its front matter.

A file is split at its headings. A section above the limit is split further, at blank lines if
possible. Every line with text is in exactly one chunk, and chunks are in order; only a line longer
than the limit is split over several chunks.
"""

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
"""Maximum characters of one heading in a breadcrumb: the width of a wide terminal."""

EVIDENCE = re.compile(r" \((?:[^()\s]+@[0-9a-f]{8}|j_[0-9a-z]{12})(?:, [^()\n]*)?\)$", re.MULTILINE)
"""The evidence at the end of a line that consolidation wrote. It is not indexed."""

OWN_END = "<!-- /crewmem:"
"""Start of the comment after a section that crewmem maintains."""

Span = tuple[int, int]
Split = Callable[[str, int, int], Iterator[int]]
"""Yields the offsets between two others at which a text may be split."""


class Chunk(NamedTuple):
    """A passage of a file.

    Attributes:
        first_line: Counted from 1.
        last_line: Included.
        heading: Breadcrumb: the headings above the passage, outermost first, joined by " > ".
        text: Text to show.
        words: Text to index. For front matter only the values; "" for a chunk that is only a
            heading, because the breadcrumbs of the chunks below contain it.
    """

    first_line: int
    last_line: int
    heading: str
    text: str
    words: str


class Fields(NamedTuple):
    """The fields of a file's front matter.

    Attributes:
        aliases: Other titles.
        dated: Day of the note: ``2026-05-01``; "" for none.
    """

    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    dated: str = ""


DATE_FIELDS = ("date", "day", "updated", "modified", "created")
"""Fields that may have the day of a note; the first with a date counts."""


def split_chunks(text: str, *, limit: int, by_entry: bool = False) -> list[Chunk]:
    """Split a normalized markdown text into chunks.

    Args:
        text: Text from `decoding.normalize`.
        limit: Maximum characters of a chunk; the setting ``files.max_chunk``.
        by_entry: Whether each list item is a chunk, as for lessons. In a section that crewmem
            maintains, it always is.
    """
    blocks = parse_blocks(text)
    if not blocks:
        return []
    starts = {index for index, block in enumerate(blocks) if block.kind == "heading"}
    starts |= {0, int(blocks[0].kind == "front_matter"), len(blocks)}
    has_own = OWN_END in text
    chunks: list[Chunk] = []
    for index, following in pairwise(sorted(starts)):
        section = blocks[index:following]
        first, begin = section[0], section[0].start
        is_own = has_own and any(block.text.startswith(OWN_END) for block in section)
        if (by_entry or is_own) and first.kind != "front_matter":
            entries = _list_entries(section)
            spans = [span for entry in entries for span in _split(text, section, *entry, limit)]
        else:
            spans = _split(text, section, begin, section[-1].end, limit)
        breadcrumb = BREADCRUMB.join(map(_shorten_heading, first.heading))
        next_level = blocks[following].level if following < len(blocks) else 0
        has_chunks_below = len(spans) > 1 or next_level > first.level
        line = first.first_line
        for start, end in spans:
            shown = words = text[start:end]
            line += text.count("\n", begin, start)
            begin = start
            if first.kind == "front_matter":
                words = _front_matter_values(shown)
            elif (
                has_chunks_below
                and first.kind == "heading"
                and end <= first.end
                and len(shown) <= MAX_HEADING  # a longer one is shortened in breadcrumbs
            ):
                words = ""
            chunks.append(Chunk(line, line + shown.count("\n"), breadcrumb, shown, words))
    return chunks


def read_fields(text: str) -> Fields:
    """Read the front matter of a normalized markdown text."""
    if not text.startswith("---"):
        return Fields()
    values, _ = split_front_matter(text)
    named = {name.lower(): value for name, value in values.items()}
    dates = (_parse_day(named[name]) for name in DATE_FIELDS if name in named)
    title = named.get("title")
    return Fields(
        title=" ".join(str(title).split()) if isinstance(title, str | int | float) else "",
        aliases=_list_texts(named.get("aliases", named.get("alias"))),
        tags=_list_tags(named.get("tags", named.get("tag"))),
        dated=next(filter(None, dates), ""),
    )


def _list_tags(value: Any) -> tuple[str, ...]:
    """Return the tags of front matter in lower case; harbor/deploy is one of harbor, too."""
    tags: dict[str, None] = {}
    for text in _list_texts(value, split=True):
        tag = text.strip("#'\"").lower()
        ends = [place for place, character in enumerate(tag) if character == "/"]
        tags |= dict.fromkeys(tag[:end] for end in [len(tag), *ends] if tag[:end])
    return tuple(tags)


def _list_texts(value: Any, *, split: bool = False) -> tuple[str, ...]:
    """Return a value of front matter as texts.

    Args:
        value: A list, or a text with commas.
        split: Whether spaces separate texts, too, as for tags.
    """
    if isinstance(value, str):
        pattern = r"[,\s]+" if split else r"\s*,\s*"
        value = re.split(pattern, value)
    elif not isinstance(value, list):
        value = [value]
    texts = (" ".join(str(each).split()) for each in value if isinstance(each, str | int | float))
    return tuple(filter(None, texts))


def _parse_day(value: Any) -> str:
    """Return a date of front matter as ``2026-05-01``; "" if it is not a date."""
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        return ""


def _shorten_heading(heading: str) -> str:
    if len(heading) <= MAX_HEADING:
        return heading
    return heading[: _find_cut(heading, MAX_HEADING - 1, 0)].rstrip() + "…"


def _front_matter_values(text: str) -> str:
    """Return the values of YAML-like lines, without keys, which would match every file."""
    return " ".join(
        re.sub(r"(?m)^[ \t]*(?:- )*[\w.-]+:(?=\s|$)|^(?:---|\.\.\.)\s*$", " ", text).split()
    )


def _list_entries(blocks: Sequence[Block]) -> Iterator[Span]:
    """Yield the span of each top-level list item, with the blocks inside it."""
    start = 0
    for index, block in enumerate(blocks):
        begins = block.level <= 1 and block.kind in ("list_item", "heading", "rule")
        after_list = block.kind == "paragraph" and blocks[index - 1].kind in ("list_item", "html")
        if index > start and (begins or after_list):
            yield blocks[start].start, blocks[index - 1].end
            start = index
    yield blocks[start].start, blocks[-1].end


def _split(text: str, blocks: Sequence[Block], start: int, end: int, limit: int) -> list[Span]:
    """Split a span into spans of at most *limit* characters.

    It is split at blank lines. Parts that are still too long are split between blocks (such as list
    items), then at line ends after a sentence, then at other line ends, between sentences, between
    words, and last between characters.
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

    splits = (at_blank_lines, at_blocks, _at_sentence_lines, _at_lines, _at_sentences, _at_words)
    return _split_at(text, start, end, limit, splits)


def _split_at(text: str, start: int, end: int, limit: int, splits: Sequence[Split]) -> list[Span]:
    """Split a span with the first of *splits*, and parts that are too long with the others."""
    span = _strip(text, start, end)
    if span is None:
        return []
    start, end = span
    if end - start <= limit:
        return [span]
    if not splits:
        return _split_characters(text, start, end, limit)
    spans: list[Span] = []
    begin = previous = start
    for cut in [*splits[0](text, start, end), end]:
        too_long = _stripped_end(text, begin, cut) - begin > limit
        if too_long and previous > begin:
            spans += _split_at(text, begin, previous, limit, splits[1:])
            begin = previous
            too_long = _stripped_end(text, begin, cut) - begin > limit
        if too_long:
            spans += _split_at(text, begin, cut, limit, splits[1:])
            begin = cut
        previous = cut
    if begin < end:
        spans += _split_at(text, begin, end, limit, splits[1:])
    return spans


def _stripped_end(text: str, start: int, end: int) -> int:
    """Return the end of a span without the white space at its end."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _strip(text: str, start: int, end: int) -> Span | None:
    """Return a span without blank lines at its ends; None if no text is left.

    The first line keeps its indentation.
    """
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


# A pattern that begins with a set of characters is ten times as fast as others.
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
    """Split a span without spaces, after punctuation if there is any."""
    spans: list[Span] = []
    while end - start > limit:
        cut = start + limit
        for match in re.compile(r"[^\w\s]").finditer(text, start + limit // 2, cut):
            cut = match.end()
        cut = _find_cut(text, cut, start)
        spans.append((start, cut))
        start = cut
    return [*spans, (start, end)]


def _find_cut(text: str, at: int, start: int) -> int:
    """Return the last offset up to *at* that is between two characters, as a reader sees them.

    Combining marks, joined emoji, skin tones, flags and jamo are part of the character before
    them. If there is no such offset after *start*, the result is *at*.
    """
    cut = at
    while cut > start and _joins(text[cut - 1], text[cut] if cut < len(text) else ""):
        cut -= 1
    return cut if cut > start else at


def _joins(before: str, after: str) -> bool:
    """Return whether two code points are parts of one character."""
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
