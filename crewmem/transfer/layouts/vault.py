"""Obsidian vaults, repositories with CLAUDE.md, single files: any markdown, one topic a file."""

from dataclasses import replace

from crewmem.text.markdown import split_front_matter
from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "markdown"

BASIC_MEMORY = {"title", "type", "permalink"}
"""Fields that basic-memory gives each of its notes, which agents write."""


def matches(source: Source) -> bool:
    """Tell whether there is markdown."""
    return bool(source.markdown())


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its notes; they are an operator's, but for those of basic-memory."""
    contents = read_notes(source, Contents(origin="operator"), source.markdown())
    contents.texts = [
        replace(each, origin="agent")
        if split_front_matter(each.text)[0].keys() >= BASIC_MEMORY
        else each
        for each in contents.texts
    ]
    return contents
