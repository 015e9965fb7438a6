"""Remove or mark the scanner's findings in a text.

The unit is the passage: a paragraph, a list item, a table row, a code block. Passages around it
stay as they are. Findings may come from a cache: no scanner is loaded here.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from crewmem.security.findings import Finding
from crewmem.security.records import REMOVED, map_texts
from crewmem.text.markdown import Block, passages

T = TypeVar("T")

MAX_SEGMENT = 2_000
"""Maximum length of a segment, in characters. Longer passages are cut, at line ends if possible."""

MAX_OPEN = 40
"""Maximum length of a passage whose sentence may continue in the next one, in characters: an
instruction may be split over list items, rows, headings or paragraphs."""


class SafeText(NamedTuple):
    """A text that may be shown.

    Attributes:
        text: The text without attacks, secrets redacted.
        removed: Attacks that were removed; for a push, suspicious passages, too.
        suspicious: Suspicious findings that are still in the text.
    """

    text: str
    removed: list[Finding]
    suspicious: list[Finding]


class Segment(NamedTuple):
    """The unit that is judged and removed: a passage, or a part of a long one."""

    start: int
    end: int
    is_code: bool
    is_open: bool  # whether its last sentence may continue in the next segment


def make_safe(
    text: str,
    found: Sequence[Finding],
    *,
    push: bool = False,
    mark: bool = False,
    keep_lines: bool = False,
) -> SafeText:
    """Make *text*, which has the findings *found*, safe to show to a model or a person.

    A passage with an attack is replaced by `[removed: category rule, file:line]`, a secret by
    `[redacted: rule]`.

    Args:
        push: Whether the text is shown unasked. Suspicious passages are then removed, too.
        mark: Whether to put `[suspicious: rule]` before suspicious text.
        keep_lines: Whether to replace removed lines by blank ones, so that line numbers stay.
    """
    if not found:
        return SafeText(text, [], [])
    removed = [f for f in found if f.class_ == "attack" or (push and f.class_ == "suspicious")]
    edits: list[tuple[int, int, str]] = []
    for segment, inside in list_hit_segments(text, removed):
        worst = min(inside, key=lambda finding: (finding.class_ != "attack", finding.start))
        place = f"{worst.file}:{worst.first_line}" if worst.file else f"line {worst.first_line}"
        removed_mark = f"{REMOVED}{worst.category} {worst.rule}, {place}]"
        # One mark is enough for all segments of a passage that one finding covers.
        is_marked = bool(edits) and edits[-1][2].rstrip("\n") == removed_mark
        lines = "\n" * text.count("\n", segment.start, segment.end) if keep_lines else ""
        edits.append((segment.start, segment.end, lines if is_marked else removed_mark + lines))
    starts = [start for start, _, _ in edits]
    suspicious = []
    for finding in found:
        before = bisect_right(starts, finding.start)  # number of edits that start before it
        is_removed = before > 0 and finding.start < edits[before - 1][1]
        if finding.class_ == "suspicious" and not is_removed:
            suspicious.append(finding)
    edits += [(f.start, f.end, f"[redacted: {f.rule}]") for f in found if f.class_ == "secret"]
    if mark:
        edits += [(f.start, f.start, f"[suspicious: {f.rule}] ") for f in suspicious]
    return SafeText(replace_spans(text, edits), removed, suspicious)


def make_record_safe(
    record: T, found: Mapping[str, Sequence[Finding]], allow: Collection[str]
) -> T:
    """Return *record*, or a list of records, safe to show to a model or a person.

    In every string, attacks are replaced, secrets redacted and suspicious passages marked.

    Args:
        found: Findings of each string.
        allow: Ids of rules whose findings are ignored.
    """
    safe_texts = {
        text: make_safe(text, [each for each in findings if each.rule not in allow], mark=True).text
        for text, findings in found.items()
        if findings
    }
    safe: T = map_texts(record, lambda text: safe_texts.get(text, text)) if safe_texts else record
    return safe


def list_hit_segments(text: str, found: Sequence[Finding]) -> list[tuple[Segment, list[Finding]]]:
    """Return the segments of *text* that overlap a finding, each with its findings."""
    segments = split_segments(text) if found else []
    ends = [segment.end for segment in segments]
    hit: dict[int, list[Finding]] = {}
    for finding in found:
        for number in range(bisect_right(ends, finding.start), len(segments)):
            if segments[number].start >= finding.end:
                break
            hit.setdefault(number, []).append(finding)
    return [(segments[number], hit[number]) for number in sorted(hit)]


def replace_spans(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Apply edits (start, end, replacement). Of overlapping edits the first one replaces all."""
    parts: list[str] = []
    copied = 0  # offset up to which the text was handled
    for start, end, replacement in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= copied:
            parts += [text[copied:start], replacement]
        copied = max(copied, end)
    return "".join(parts) + text[copied:]


def split_segments(text: str) -> list[Segment]:
    """Split *text* into segments, in order."""
    segments: list[Segment] = []
    for block in passages(text):
        if block.end - block.start <= MAX_SEGMENT:
            is_code = block.kind == "code"
            is_short = block.end - block.start <= MAX_OPEN
            is_open = is_short and not is_code and text[block.end - 1] not in ".!?:;"
            segments.append(Segment(block.start, block.end, is_code, is_open))
        else:
            segments += _cut(block)
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
        is_cut = end < len(text)
        yield Segment(block.start + at, block.start + end, block.kind == "code", is_cut)
        at = end + (text[end : end + 1] in ("\n", " "))
