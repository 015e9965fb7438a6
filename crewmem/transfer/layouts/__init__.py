"""Formats of memory that can be imported: a module each, and the list of them."""

from collections.abc import Sequence

from crewmem.errors import UsageError, suggest
from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Layout
from crewmem.transfer.layouts import (
    beads,
    bundle,
    claude_code,
    claude_mem,
    codex,
    engram,
    fact_lines,
    mem0,
    nanoclaw,
    okf,
    openclaw,
    ottercamp,
    tree,
    vault,
)

LAYOUTS: Sequence[Layout] = (
    bundle,
    tree,
    okf,
    nanoclaw,
    codex,
    openclaw,
    claude_code,
    claude_mem.LAYOUT,
    beads.LAYOUT,
    ottercamp.LAYOUT,
    engram.LAYOUT,
    mem0.LAYOUT,
    fact_lines.LAYOUT,
    vault,
)
"""All formats; the first that matches is taken, so the surest signs come first."""


def find_layout(source: Source, name: str = "") -> Layout:
    """Return the format of a source, or the one that was named.

    Raises:
        UsageError: If no format is called so, or none matches.
    """
    if name:
        for layout in LAYOUTS:
            if name == layout.NAME:
                return layout
        known = [layout.NAME for layout in LAYOUTS]
        near = suggest(name, known)
        meant = f"; did you mean '{near}'?" if near else f": use {', '.join(known)}"
        raise UsageError(f"there is no layout '{name}'{meant}", code="bad-layout")
    for layout in LAYOUTS:
        if layout.matches(source):
            return layout
    raise UsageError(
        f"{source.name} is not a recognised source: expected a bundle, a directory of markdown, a"
        " markdown file, or JSON lines of facts",
        code="source-not-recognised",
    )
