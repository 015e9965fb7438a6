"""Split a text into segments: the units that are judged, removed and marked."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from crewmem.security.findings import Finding
from crewmem.text.markdown import Block, passages

MAX_SEGMENT = 2_000
"""Maximum length of a segment, in characters. Longer passages are cut, at line ends if possible."""

MAX_OPEN = 40
"""Maximum length of a passage whose sentence may continue in the next one, in characters."""

OVERLAP = 200
"""Characters after the end of a segment that are searched for an instruction that is cut there."""


class Segment(NamedTuple):
    """A passage, or a part of a long one.

    Attributes:
        searched_end: Offset up to which it is searched: beyond *end* where a passage was cut.
        is_open: Whether it is short, and its sentence may continue in the next passage.
    """

    start: int
    end: int
    searched_end: int
    is_code: bool
    is_open: bool


P = TypeVar("P", Segment, Block)


def split_segments(text: str) -> list[Segment]:
    """Split *text* into segments, in order."""
    segments: list[Segment] = []
    for block in passages(text):
        start, end, is_code = block.start, block.end, block.kind == "code"
        if end - start > MAX_SEGMENT:
            segments += _cut(block)
            continue
        is_open = end - start <= MAX_OPEN and not is_code and text[end - 1] not in ".!?:;"
        segments.append(Segment(start, end, end, is_code, is_open))
    return segments


def _cut(block: Block) -> Iterator[Segment]:
    text = block.text
    at = 0
    while at < len(text):
        end = at + MAX_SEGMENT
        if end < len(text):
            for mark in ("\n\n", "\n", ". ", " "):
                cut = text.rfind(mark, at + MAX_SEGMENT // 2, end)
                if cut > 0:
                    end = cut + (1 if mark == ". " else 0)
                    break
        end = min(end, len(text))
        yield Segment(
            block.start + at,
            block.start + end,
            block.start + min(end + OVERLAP, len(text)),
            block.kind == "code",
            is_open=False,
        )
        at = end + (text[end : end + 1] in ("\n", " "))


def join_open_segments(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Yield the spans of consecutive open segments, with the segment after them.

    An instruction may be split over list items, rows, headings or short paragraphs. Of a long
    series, parts of about `MAX_SEGMENT` characters are yielded, which overlap.
    """
    first = 0
    for number, segment in enumerate(segments):
        if segment.is_open and segment.end - segments[first].start < MAX_SEGMENT:
            continue
        if number > first:
            yield first, number + 1
        first = number + 1
        while segment.is_open and segments[first - 1].start >= segment.end - OVERLAP:
            first -= 1
    if len(segments) - first > 1:
        yield first, len(segments)


def group_findings(
    passages: Sequence[P], found: Iterable[Finding]
) -> list[tuple[P, list[Finding]]]:
    """Return the passages that overlap a finding, each with its findings.

    Args:
        passages: Passages or segments of one text, in order.
    """
    ends = [passage.end for passage in passages]
    hit: dict[int, list[Finding]] = {}
    for finding in found:
        for number in range(bisect_right(ends, finding.start), len(passages)):
            if passages[number].start >= finding.end:
                break
            hit.setdefault(number, []).append(finding)
    return [(passages[number], hit[number]) for number in sorted(hit)]
