"""The crew's pins.md: a section with its pinned journal entries."""

from __future__ import annotations

from collections.abc import Sequence

from crewmem.consolidation.plan import NARROW, Change
from crewmem.consolidation.sections import parse_section, render_section
from crewmem.files.tiers import TIERS
from crewmem.security.secrets import redact

HEADING = "## Pinned entries"

SECTION_MARKUP = 200
"""Bytes that are left free for heading and markers of the section."""


def plan_pins(rows: Sequence[tuple[str, ...]], text: str, crew: str) -> Change | None:
    """Return the change of pins.md that brings its section up to date; None when it is.

    Args:
        rows: Pinned entries, the oldest first: id, type, time, summary. When the file has no
            room for all, the newest are left out, because the oldest pins were there first.
        text: The present file.
        crew: Slug.
    """
    lines: list[str] = []
    limit = NARROW * TIERS["pins"].cap
    size_without_section = len(render_section(text, []).encode())
    for row in rows:
        line = _format_pin(*row)
        section = len("\n".join([*lines, line]).encode()) + SECTION_MARKUP
        if size_without_section + section > limit:
            break
        lines.append(line)
    present = [line for line in parse_section(text).lines if line.startswith("- ")]
    if present == lines:
        return None
    target = f"crew:{crew}/pins.md"
    return Change(
        action="pins",
        target=target,
        text=f"{len(lines)} pinned entries",
        kind="pin",
        crew=crew,
        evidence=[str(row[0]) for row in rows],
        lines=lines,
    )


def _format_pin(entry_id: str, entry_type: str, ts: str, summary: str) -> str:
    """Return the line of a pinned entry in pins.md."""
    plain = " ".join(redact(summary).replace("<!--", "").replace("-->", "").split())
    return f"- **{entry_id}** ({entry_type}, {ts[:10]}) — {plain[:300]}"
