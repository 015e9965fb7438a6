"""Obsidian vaults, repositories with CLAUDE.md, single files: any markdown, one topic a file."""

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Aim, Contents, leave_out_rest, read_notes

NAME = "markdown"


def matches(source: Source) -> bool:
    """Tell whether there is markdown."""
    return bool(source.markdown())


def read(source: Source, aim: Aim) -> Contents:
    """Return its notes; they are an operator's."""
    contents = Contents(origin="operator")
    names = source.markdown()
    read_notes(source, contents, names)
    leave_out_rest(source, contents, names)
    return contents
