"""Remove or mark the scanner's findings in a text.

The unit is the passage: a paragraph, a list item, a table row, a code block (long ones are cut).
Passages around it stay as they are. Findings may come from a cache: no scanner is loaded here.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from crewmem.security.findings import REMOVED, Finding
from crewmem.security.segments import group_findings, split_segments
from crewmem.text.markdown import passages
from crewmem.text.records import map_texts

T = TypeVar("T")


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
    for segment, inside in group_findings(split_segments(text) if removed else [], removed):
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


def make_record_safe(record: T, found: Mapping[str, Sequence[Finding]]) -> T:
    """Return *record*, or a list of records, safe to show to a model or a person.

    In every string, attacks are replaced, secrets redacted and suspicious passages marked.

    Args:
        found: Findings of each string.
    """
    safe_texts = {
        text: make_safe(text, findings, mark=True).text
        for text, findings in found.items()
        if findings
    }
    safe: T = map_texts(record, lambda text: safe_texts.get(text, text)) if safe_texts else record
    return safe


MAX_ATTACK_SHARE = 0.5
"""Share of attacks in a text above which all of it is refused."""


class StorableText(NamedTuple):
    """A text to be stored, after screening.

    Attributes:
        text: The part that may be stored, secrets redacted.
        refused: The removed passages, each with the ids of the rules of its attacks. Passages that
            share an attack count as one.
        mostly_attack: Whether so much was removed that the rest should be refused, too.
    """

    text: str
    refused: list[tuple[str, tuple[str, ...]]]
    mostly_attack: bool


def remove_attacks(text: str, found: Iterable[Finding]) -> StorableText:
    """Remove the passages of *text* with attacks, with their lines, and redact its secrets."""
    found = list(found)
    attacks = [finding for finding in found if finding.class_ == "attack"]
    refused: list[tuple[int, int, set[str]]] = []
    for passage, inside in group_findings(passages(text), attacks):
        start, rules = passage.start, {attack.rule for attack in inside}
        if refused and any(attack.start < refused[-1][1] for attack in inside):
            start, _, before = refused.pop()
            rules |= before
        refused.append((start, passage.end, rules))
    edits = [(start, end + (text[end : end + 1] == "\n"), "") for start, end, _ in refused]
    edits += [(f.start, f.end, f"[redacted: {f.rule}]") for f in found if f.class_ == "secret"]
    removed = [(text[start:end], tuple(sorted(rules))) for start, end, rules in refused]
    size = sum(_count_characters(passage) for passage, _ in removed)
    mostly_attack = size > MAX_ATTACK_SHARE * _count_characters(text)
    return StorableText(replace_spans(text, edits), removed, mostly_attack)


def _count_characters(text: str) -> int:
    return sum(map(len, text.split()))


def replace_spans(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Apply edits (start, end, replacement). Of overlapping edits the first one replaces all."""
    parts: list[str] = []
    copied = 0  # offset up to which the text was handled
    for start, end, replacement in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= copied:
            parts += [text[copied:start], replacement]
        copied = max(copied, end)
    return "".join(parts) + text[copied:]
