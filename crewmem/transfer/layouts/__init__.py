"""The formats of memory that can be imported, a module each, and how one is chosen."""

from collections.abc import Sequence

from crewmem.errors import UsageError
from crewmem.transfer.contents import Layout
from crewmem.transfer.import_source import Source
from crewmem.transfer.layouts import (
    beads,
    bundle,
    claude_mem,
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
    bundle.LAYOUT,
    tree.LAYOUT,
    okf.LAYOUT,
    nanoclaw.LAYOUT,
    openclaw.LAYOUT,
    claude_mem.LAYOUT,
    beads.LAYOUT,
    ottercamp.LAYOUT,
    engram.LAYOUT,
    mem0.LAYOUT,
    fact_lines.LAYOUT,
    vault.LAYOUT,
)
"""All formats, the most specific first; the first match is used."""


def find_layout(source: Source) -> Layout:
    """Return the format of a source.

    Raises:
        UsageError: If no format matches.
    """
    for layout in LAYOUTS:
        if layout.matches(source):
            return layout
    expected = "a bundle, a directory of markdown, a markdown file, or JSON lines of facts"
    if source.name == "-":
        expected = "a gzip-compressed bundle, or JSON lines of facts, on standard input"
    message = f"{source.name} is not a recognised source: expected {expected}"
    if source.bad_lines:
        bad = source.bad_lines[0]
        place = f"line {bad.line}" if source.path.is_file() and bad.line else bad.source
        message += f"; {place}: {bad.reason}"
    raise UsageError(message, code="source-not-recognised")
