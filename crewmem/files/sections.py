"""The lines around what crewmem itself writes into a file. Pure."""

from __future__ import annotations

OWN = tuple(
    f"<!-- {end}crewmem:{name} -->"
    for name in ("consolidated", "pinned")
    for end in ("", "/")
)
"""These lines, as consolidation has them; a test compares."""


def blanked(body: str) -> str:
    """Return *body*, as long, with blanks for these lines: nobody looks for them."""
    for mark in OWN:
        body = body.replace(mark, " " * len(mark))
    return body
