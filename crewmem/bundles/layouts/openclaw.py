"""OpenClaw's workspace: pages at the top, and notes of days below ``memory/``."""

from __future__ import annotations

from crewmem.bundles.layouts.gathered import (
    ABOUT,
    AGENT_FILE,
    CREW_FILE,
    NO_MARKDOWN,
    NOT_ENTERED,
    PERSONA_FILE,
    Gathering,
    daily,
    is_markdown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

SIGNS = frozenset({"soul.md", "identity.md", "memory.md", "user.md"})
"""Pages by which it is known."""

PERSONA = frozenset({"soul.md", "identity.md"})

USER = "user.md"

NOTES = "memory"


def fits(names: Collection[str], source: Source) -> bool:  # noqa: ARG001 - by names alone
    """Tell whether *names* are those of OpenClaw."""
    return len(names) > 1 and any(name.lower() in SIGNS for name in names)


def read(source: Source, aim: Aim) -> Reading:
    """Return what *source* holds: pages for an agent, AGENTS.md for its crew."""
    gathering = Gathering(source, aim)
    for name in sorted(source.sizes):
        _take(gathering, name, aim)
    return gathering.reading()


def _take(gathering: Gathering, name: str, aim: Aim) -> None:
    folder, slash, page = name.rpartition("/")
    if not is_markdown(name):
        gathering.leave(name, NO_MARKDOWN)
    elif slash and folder.lower() != NOTES:
        gathering.leave(name, NOT_ENTERED)
    elif slash:
        gathering.take(name, daily(name) or AGENT_FILE)
    elif (lower := page.lower()) in ABOUT:
        gathering.leave(name, "it says what the folder is")
    elif lower == USER:
        _take_user(gathering, name, aim)
    elif lower == "agents.md":
        gathering.take(name, CREW_FILE, is_crew=True)
    else:
        gathering.take(name, PERSONA_FILE if lower in PERSONA else AGENT_FILE)


def _take_user(gathering: Gathering, name: str, aim: Aim) -> None:
    if aim.person is None:
        gathering.leave(name, "it is about a person; --operator says about whom")
        return
    folder = "users" if aim.agent is None else "peers"
    gathering.take(name, f"{folder}/{aim.person}.md")
