"""The section of a crew's pins.md that lists its pinned journal entries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from crewmem.consolidation.plan import Change
from crewmem.consolidation.sections import parse_section, remove_comment_marks, render_section
from crewmem.security.secrets import redact
from crewmem.times import stored_day

HEADING = "## Pinned entries"

SECTION_MARKUP = 200
"""Bytes that are reserved for the heading and the markers of the section."""


class PinnedEntry(NamedTuple):
    """A journal entry of priority pin or permanent."""

    id: str
    type: str
    ts: str
    summary: str


def plan_pins(
    entries: Sequence[PinnedEntry], text: str, crew: str, zone: tzinfo, max_bytes: float
) -> Change | None:
    """Return the change that updates the section of pins.md; None if it is up to date.

    Args:
        entries: Pinned entries, oldest first. If the file has no room for all, the newest are left
            out, because the others were in it first.
        text: Current text of the file.
        crew: Slug.
        zone: Time zone of the days of entries.
        max_bytes: Size that the section must not fill the file beyond.
    """
    lines: list[str] = []
    size_without_section = len(render_section(text, []).encode())
    for entry in entries:
        line = _format_pin(entry, zone)
        section_size = len("\n".join([*lines, line]).encode()) + SECTION_MARKUP
        if size_without_section + section_size > max_bytes:
            break
        lines.append(line)
    current = [line for line in parse_section(text).lines if line.startswith("- ")]
    if current == lines:
        return None
    return Change(
        action="pins",
        target=f"crew:{crew}/pins.md",
        text=f"{len(lines)} pinned entries",
        kind="pin",
        crew=crew,
        evidence=[entry.id for entry in entries],
        lines=lines,
    )


def _format_pin(entry: PinnedEntry, zone: tzinfo) -> str:
    summary = remove_comment_marks(redact(entry.summary))
    day = stored_day(entry.ts, zone)
    return f"- **{entry.id}** ({entry.type}, {day}) — {summary[:300]}"
