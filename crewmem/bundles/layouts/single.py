"""One page: CLAUDE.md, AGENTS.md, MEMORY.md or another file of notes."""

from __future__ import annotations

from crewmem.bundles.layouts.gathered import (
    AGENT_FILE,
    NO_MARKDOWN,
    Gathering,
    daily,
    is_markdown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

PAGES = frozenset({"claude.md", "claude.local.md", "agents.md", "memory.md"})
"""What programs call the page that their agents read."""

STDIN = "standard input"


def fits(names: Collection[str], source: Source) -> bool:
    """Tell whether there is one such page, alone or at the top of a directory."""
    from crewmem.bundles.source import Single

    if isinstance(source, Single):
        (name,) = names
        return is_markdown(name) or name == STDIN
    return any(name.lower() in PAGES for name in names)


def read(source: Source, aim: Aim) -> Reading:
    """Return what the pages at the top of *source* hold, for AGENT.md or CREW.md.

    One that is called by a day is a daily note.
    """
    gathering = Gathering(source, aim)
    alone = len(source.sizes) == 1
    for name in sorted(source.sizes):
        if alone:
            gathering.take(name, daily(name) or AGENT_FILE)
        elif name.lower() in PAGES:
            gathering.take(name, AGENT_FILE)
        elif "/" not in name:
            is_note = is_markdown(name)
            why = "it is no page of an agent's" if is_note else NO_MARKDOWN
            gathering.leave(name, why)
    folders = {name.partition("/")[0] for name in source.sizes if "/" in name}
    for folder in sorted(folders):
        gathering.leave(f"{folder}/", "it is the work, not the notes")
    return gathering.reading()
