"""Claude Code's auto memory: MEMORY.md as an index, and a file for each memory."""

import re

from crewmem.text.markdown import split_front_matter
from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "claude-code"

TYPES = {"user", "feedback", "project", "reference"}
"""What its memories are about, in their front matter."""


def matches(source: Source) -> bool:
    """Tell whether MEMORY.md stands at the top of a flat directory, and links its files."""
    names = source.markdown()
    if "MEMORY.md" not in names or len(names) != len(source.files):
        return False
    if any("/" in name for name in names):
        return False
    if ".claude" in source.path.parts or source.path.name == "memory":
        return True
    linked = set(re.findall(r"\]\(([^)\s]+\.md)\)", source.read_text("MEMORY.md")))
    others = [name for name in names if name != "MEMORY.md"]
    return bool(linked & set(others)) or any(
        split_front_matter(source.read_text(name))[0].get("type") in TYPES for name in others[:20]
    )


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its files, one topic each."""
    return read_notes(source, Contents(origin="agent"), source.markdown())
