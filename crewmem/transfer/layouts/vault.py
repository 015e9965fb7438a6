"""Obsidian vaults, repositories with CLAUDE.md, single files: any markdown, one topic a file."""

import re
from dataclasses import replace

from crewmem.text.markdown import split_front_matter
from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "markdown"

BASIC_MEMORY = {"title", "type", "permalink"}
"""Fields of basic-memory's notes, which agents write; all but the title may be left out."""

OBSERVATION = re.compile(r"^## Observations[ \t\r]*\n+[-*] \[[^\]\n]{2,}\] ", re.MULTILINE)
"""How such a note goes on: ``- [decision] Bread rests overnight #dough``; no task is one."""

DRAWING = re.compile(
    r"^(?:%%[ \t\r]*\n)?#{1,2} Drawing[ \t\r]*\n"
    r"```(?:compressed-)?json\r?\n.*?^```[ \t\r]*\n?(?:%%[ \t\r]*\n?)?",
    re.MULTILINE | re.DOTALL,
)
"""The shapes of a drawing of Excalidraw, as JSON; its texts stand above them."""


def matches(source: Source) -> bool:
    """Tell whether there is markdown."""
    return bool(source.markdown())


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its notes; they are an operator's, but for those of basic-memory."""
    contents = read_notes(source, Contents(origin="operator"), source.markdown())
    for index, each in enumerate(contents.texts):
        fields = split_front_matter(each.text)[0].keys()
        if fields >= BASIC_MEMORY or ("title" in fields and OBSERVATION.search(each.text)):
            contents.texts[index] = replace(each, origin="agent")
        elif "excalidraw-plugin" in fields:
            words, drawings = DRAWING.subn("", each.text)
            if drawings:
                contents.texts[index] = replace(each, text=words)
                contents.leave_out(each.source, "of a drawing only the text is imported")
    return contents
