"""Obsidian vaults, repositories with CLAUDE.md, single files: any markdown, one topic a file."""

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "markdown"


def matches(source: Source) -> bool:
    """Tell whether there is markdown."""
    return bool(source.markdown())


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its notes; they are an operator's."""
    return read_notes(source, Contents(origin="operator"), source.markdown())
