"""Any markdown, a topic per file: vaults, repositories with CLAUDE.md, memories of agents."""

import re
from dataclasses import replace

from crewmem.text.markdown import split_front_matter
from crewmem.transfer.contents import Contents, ImportOptions, Layout, read_notes
from crewmem.transfer.import_source import Source

AGENT_PAGES = ("MEMORY.md", "memory_summary.md")
"""Pages of the memories of Claude Code and Codex; agents write all notes of their directory."""

BASIC_MEMORY_FIELDS = {"title", "type", "permalink"}
"""Front matter of basic-memory notes, which agents write; only the title is required."""

OBSERVATION = re.compile(r"^## Observations[ \t\r]*\n+[-*] \[[^\]\n]{2,}\] ", re.MULTILINE)
"""An observation in such a note, ``- [decision] Bread rests overnight #dough``; not a task."""


def matches(source: Source) -> bool:
    """Return whether there is markdown."""
    return bool(source.markdown())


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the notes; their origin is the operator, except for notes that agents write."""
    origin = "agent" if source.has(*AGENT_PAGES) else "operator"
    contents = read_notes(source, Contents(origin=origin), source.markdown())
    pages = tuple(f"/{page}" for page in AGENT_PAGES)
    folders = tuple(name.rpartition("/")[0] + "/" for name in source.files if name.endswith(pages))
    for index, each in enumerate(contents.texts):
        fields = split_front_matter(each.text)[0].keys()
        is_basic_memory = fields >= BASIC_MEMORY_FIELDS or (
            "title" in fields and OBSERVATION.search(each.text)
        )
        if is_basic_memory or each.source.startswith(folders):
            contents.texts[index] = replace(each, origin="agent")
    return contents


LAYOUT = Layout("markdown", matches, read)
