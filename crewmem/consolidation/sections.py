"""The section of a memory file that consolidation owns. Pure.

It stands between two comments. Everything outside stays as it is, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BEGIN, END = "<!-- crewmem:consolidated -->", "<!-- /crewmem:consolidated -->"

EVIDENCE_NAMED = 3
"""Places that a line names; the journal entry names all."""

LINE_MAX = 400
"""Characters of a promoted line, without its evidence."""


class OwnedSection(NamedTuple):
    """The lines of the section, and what stands around it."""

    before: str
    lines: tuple[str, ...]
    after: str
    exists: bool


def parse_section(text: str) -> OwnedSection:
    """Find the section of a file. A begin without an end is not a section.

    Where a person removed an end, the next section begins a new one: what stands between is theirs.
    """
    start = text.find(BEGIN)
    end = text.find(END, start + len(BEGIN)) if start >= 0 else -1
    if end < 0:
        return OwnedSection(text, (), "", False)
    start = text.rfind(BEGIN, start, end)
    inside = text[start + len(BEGIN) : end]
    return OwnedSection(
        text[:start], tuple(inside.strip().splitlines()), text[end + len(END) :], True
    )


def render_section(text: str, lines: Sequence[str], heading: str = "## Learned from notes") -> str:
    """Return *text* with *lines* in its section, which is added at the end if there is none.

    With no lines the section goes, and with it the blank line that was added before it.
    """
    section = parse_section(text)
    if not lines:
        if not section.exists:
            return text
        return section.before.removesuffix("\n") + section.after.removeprefix("\n")
    body = list(lines)
    if not any(line.startswith("#") for line in body):
        body = [heading, "", *body]
    block = "\n".join([BEGIN, *body, END])
    if section.exists:
        return section.before + block + section.after
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{block}\n"


def add_lines(text: str, new: Sequence[str]) -> str:
    """Return *text* with lines added to its section; lines that are there are not added again."""
    section = parse_section(text)
    said = {statement_of(line) for line in section.lines}
    fresh = [line for line in new if statement_of(line) not in said]
    if not fresh:
        return text
    return render_section(text, [*section.lines, *fresh])


def format_line(text: str, evidence: Sequence[str]) -> str:
    """Return the line of a promoted statement: ``- It says so. (daily/2026-05-01.md:3@1a2b)``."""
    plain = " ".join(text.replace("<!--", "").replace("-->", "").split())[:LINE_MAX]
    owners = {each.partition("/")[2].partition("/")[0] for each in evidence}
    named = [
        shorten_evidence(each, with_agent=len(owners) > 1) for each in evidence[:EVIDENCE_NAMED]
    ]
    if len(evidence) > EVIDENCE_NAMED:
        named.append(f"{len(evidence) - EVIDENCE_NAMED} more")
    return f"- {plain} ({', '.join(named)})"


def statement_of(line: str) -> str:
    """Return what a line of the section says, without bullet and evidence."""
    said = line.strip().removeprefix("- ")
    if said.endswith(")") and "@" in said:
        said = said.rpartition(" (")[0]
    return said


def shorten_evidence(evidence: str, *, with_agent: bool) -> str:
    """Return evidence as a line of the same memory directory names it.

    >>> shorten_evidence("agent:harbor/ada/daily/2026-05-01.md:12@1a2b3c4d5e6f", with_agent=True)
    'ada/daily/2026-05-01.md:12@1a2b3c4d'
    """
    place, at, digest = evidence.partition("@")
    scope, _, path = place.partition(":")
    if scope in ("agent", "crew", "workspace") and "/" in path:
        parts = path.split("/")
        place = "/".join(parts[2:] if scope == "agent" and not with_agent else parts[1:]) or path
    return f"{place}@{digest[:8]}" if at else place


def statements_of_section(text: str) -> list[str]:
    """Return what the lines of the section say."""
    return [statement_of(line) for line in parse_section(text).lines if line.startswith("- ")]
