"""The section of a memory file that consolidation owns. Pure.

The section is between two comments. Everything outside it stays the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BEGIN, END = "<!-- crewmem:consolidated -->", "<!-- /crewmem:consolidated -->"

MAX_SHOWN_EVIDENCE = 3
"""Maximum number of places that a line shows. The journal entry of the promotion has all."""

MAX_LINE = 400
"""Maximum characters of a promoted line, without its evidence."""


class OwnedSection(NamedTuple):
    """The lines of the section, and the text before and after it."""

    before: str
    lines: tuple[str, ...]
    after: str
    exists: bool


def parse_section(text: str) -> OwnedSection:
    """Find the section of a file. A begin comment without an end comment is not a section.

    If a person removed an end comment, the section begins at the last begin comment before the
    next end comment: the text before that belongs to the person.
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
    """Return *text* with *lines* as its section. A new section is added at the end.

    Without lines, the section is removed with the blank line that was added before it.
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
    """Return *text* with new lines in its section; statements that are in it are not repeated."""
    section = parse_section(text)
    statements = {parse_statement(line) for line in section.lines}
    missing = [line for line in new if parse_statement(line) not in statements]
    if not missing:
        return text
    return render_section(text, [*section.lines, *missing])


def remove_comment_marks(text: str) -> str:
    """Return *text* in one line, without marks that begin or end an HTML comment."""
    return " ".join(text.replace("<!--", "").replace("-->", "").split())


def format_line(text: str, evidence: Sequence[str]) -> str:
    """Return the line of a promoted statement.

    >>> format_line("Deploys need approval", ["crew:harbor/daily/2026-05-01.md:3@1a2b3c4d5e6f"])
    '- Deploys need approval (daily/2026-05-01.md:3@1a2b3c4d)'
    """
    owners = {each.partition("/")[2].partition("/")[0] for each in evidence}
    shown = [
        shorten_evidence(each, with_agent=len(owners) > 1) for each in evidence[:MAX_SHOWN_EVIDENCE]
    ]
    if len(evidence) > MAX_SHOWN_EVIDENCE:
        shown.append(f"{len(evidence) - MAX_SHOWN_EVIDENCE} more")
    return f"- {remove_comment_marks(text)[:MAX_LINE]} ({', '.join(shown)})"


def parse_statement(line: str) -> str:
    """Return the statement of a line of the section, without bullet and evidence."""
    statement = line.strip().removeprefix("- ")
    if statement.endswith(")") and "@" in statement:
        statement = statement.rpartition(" (")[0]
    return statement


def shorten_evidence(evidence: str, *, with_agent: bool) -> str:
    """Return evidence relative to the memory directory, with a hash of 8 digits.

    >>> shorten_evidence("agent:harbor/ada/daily/2026-05-01.md:12@1a2b3c4d5e6f", with_agent=True)
    'ada/daily/2026-05-01.md:12@1a2b3c4d'
    """
    place, at, digest = evidence.partition("@")
    scope, _, path = place.partition(":")
    if scope in ("agent", "crew", "workspace") and "/" in path:
        parts = path.split("/")
        place = "/".join(parts[2:] if scope == "agent" and not with_agent else parts[1:]) or path
    return f"{place}@{digest[:8]}" if at else place


def list_statements(text: str) -> list[str]:
    """Return the statements in the section of a file."""
    return [parse_statement(line) for line in parse_section(text).lines if line.startswith("- ")]
