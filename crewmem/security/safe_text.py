"""A text without what was found in it.

The unit is the passage: a paragraph, a list item, a row of a table, a code block. A
finding never touches its neighbours. What was found before needs no scanner to be taken out.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from crewmem.security.findings import Finding
from crewmem.security.records import REMOVED, map_texts
from crewmem.text.markdown import Block, passages

T = TypeVar("T")

PIECE = 2_000
"""Longest text that is judged and removed as one; longer passages are cut at line ends."""

MAX_OPEN = 40
"""Characters of the longest passage that may go on in the next one: an order may be cut into items,
rows, headings or paragraphs."""


class SafeText(NamedTuple):
    """A text that may be shown.

    Attributes:
        text: Without attacks, secrets redacted.
        removed: The attacks (and, for a push, the suspicious passages) that were left out.
        suspicious: What stayed in the text and deserves a mark.
    """

    text: str
    removed: list[Finding]
    suspicious: list[Finding]


class Piece(NamedTuple):
    """What is judged, and removed, as one: a passage, or a part of a long one."""

    start: int
    end: int
    is_code: bool
    is_open: bool  # whether a sentence in it may go on in the next piece


def make_safe(
    text: str,
    found: Sequence[Finding],
    *,
    push: bool = False,
    mark: bool = False,
    keep_lines: bool = False,
) -> SafeText:
    """Make *text*, in which *found* was found, safe to show to a model or a person.

    The passage of an attack is replaced by `[removed: category rule, file:line]`, secrets by
    `[redacted: rule]`. With *push* (shown unasked) suspicious passages are left out as well;
    with *mark* `[suspicious: rule]` stands before them. With *keep_lines* blank lines follow
    the mark of a removed passage, so that all other lines keep their numbers.
    """
    if not found:
        return SafeText(text, [], [])
    removed = [f for f in found if f.class_ == "attack" or (push and f.class_ == "suspicious")]
    edits: list[tuple[int, int, str]] = []
    for piece, inside in list_hit_pieces(text, removed):
        worst = min(inside, key=lambda finding: (finding.class_ != "attack", finding.start))
        place = f"{worst.file}:{worst.first_line}" if worst.file else f"line {worst.first_line}"
        removed_mark = f"{REMOVED}{worst.category} {worst.rule}, {place}]"
        # A passage that was cut into pieces, all hit by one finding, has one mark.
        is_marked = bool(edits) and edits[-1][2].rstrip("\n") == removed_mark
        lines = "\n" * text.count("\n", piece.start, piece.end) if keep_lines else ""
        edits.append((piece.start, piece.end, lines if is_marked else removed_mark + lines))
    starts = [start for start, _, _ in edits]
    suspicious = []
    for finding in found:
        number = bisect_right(starts, finding.start)  # of the removed passages before it
        is_removed = number > 0 and finding.start < edits[number - 1][1]
        if finding.class_ == "suspicious" and not is_removed:
            suspicious.append(finding)
    edits += [(f.start, f.end, f"[redacted: {f.rule}]") for f in found if f.class_ == "secret"]
    if mark:
        edits += [(f.start, f.start, f"[suspicious: {f.rule}] ") for f in suspicious]
    return SafeText(replace_spans(text, edits), removed, suspicious)


def make_record_safe(
    record: T, found: Mapping[str, Sequence[Finding]], allow: Collection[str]
) -> T:
    """Return *record*, or a list of records, as it may be shown to a model or a person.

    In every text of it the passages of attacks are replaced, secrets redacted, and suspicious
    passages marked.

    Args:
        found: What the scanner finds in each text.
        allow: Rules whose findings stay.
    """
    safe_texts = {
        text: make_safe(text, [each for each in findings if each.rule not in allow], mark=True).text
        for text, findings in found.items()
        if findings
    }
    safe: T = map_texts(record, lambda text: safe_texts.get(text, text)) if safe_texts else record
    return safe


def list_hit_pieces(text: str, found: Sequence[Finding]) -> list[tuple[Piece, list[Finding]]]:
    """Return the pieces of *text* in which something of *found* is, and what."""
    pieces = split_pieces(text) if found else []
    ends = [piece.end for piece in pieces]
    hit: dict[int, list[Finding]] = {}
    for finding in found:
        for number in range(bisect_right(ends, finding.start), len(pieces)):
            if pieces[number].start >= finding.end:
                break
            hit.setdefault(number, []).append(finding)
    return [(pieces[number], hit[number]) for number in sorted(hit)]


def replace_spans(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Replace spans. Spans that overlap are replaced as one, by what the first of them puts."""
    parts: list[str] = []
    done = 0
    for start, end, put in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= done:
            parts += [text[done:start], put]
        done = max(done, end)
    return "".join(parts) + text[done:]


def split_pieces(text: str) -> list[Piece]:
    """Return what is judged, and removed, as one."""
    pieces: list[Piece] = []
    for block in passages(text):
        if block.end - block.start <= PIECE:
            is_code = block.kind == "code"
            is_short = block.end - block.start <= MAX_OPEN
            is_open = is_short and not is_code and text[block.end - 1] not in ".!?:;"
            pieces.append(Piece(block.start, block.end, is_code, is_open))
        else:
            pieces += _cut(block)
    return pieces


def _cut(block: Block) -> Iterator[Piece]:
    text = block.text
    at = 0
    while at < len(text):
        end = at + PIECE
        if end < len(text):
            for mark in ("\n\n", "\n", ". ", " "):
                cut = text.rfind(mark, at + PIECE // 2, end)
                if cut > 0:
                    end = cut + (1 if mark == ". " else 0)
                    break
        end = min(end, len(text))
        is_cut = end < len(text)
        yield Piece(block.start + at, block.start + end, block.kind == "code", is_cut)
        at = end + (text[end : end + 1] in ("\n", " "))
