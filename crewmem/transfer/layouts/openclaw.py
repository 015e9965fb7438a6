"""OpenClaw workspaces: pages at the top level, and notes below ``memory/``."""

from crewmem.files.tiers import make_person_slug
from crewmem.transfer.contents import (
    PERSON_MISSING,
    Contents,
    ImportOptions,
    Layout,
    Text,
    read_notes,
)
from crewmem.transfer.import_source import Source

PERSONA = ("soul.md", "identity.md")
PAGES = ("memory.md", "user.md", "agents.md", "heartbeat.md", "tools.md")


def matches(source: Source) -> bool:
    """Return whether there is a persona, or another page of OpenClaw and notes in ``memory/``."""
    top = {name.lower() for name in source.files if "/" not in name}
    has_notes = any(name.lower().startswith("memory/") for name in source.files)
    if top & set(PERSONA):
        return True
    return has_notes and len(source.files) > 1 and bool(top & set(PAGES))


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the notes, the persona and the profile of the user."""
    contents = Contents(origin="agent")
    notes = []
    for name in source.markdown():
        lower = name.lower()
        if lower == "user.md":
            _read_user(source, options, contents, name)
        elif lower not in PERSONA:
            notes.append(name)
        else:
            contents.texts.append(Text(name, "PERSONA.md", source.read_text(name).strip() + "\n"))
    return read_notes(source, contents, notes)


def _read_user(source: Source, options: ImportOptions, contents: Contents, name: str) -> None:
    if not options.person:
        contents.leave_out(name, PERSON_MISSING)
        return
    folder = "peers" if options.agent else "users"
    file = f"{folder}/{make_person_slug(options.person, options.workspace)}.md"
    contents.texts.append(Text(name, file, source.read_text(name)))


LAYOUT = Layout("openclaw", matches, read)
