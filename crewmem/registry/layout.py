"""Where the memory of workspaces, crews and agents lies below a home. Pure."""

from __future__ import annotations

from crewmem.registry.member import Agent, Crew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.registry.member import Member

MEMORY = ".memory"

WORKSPACES = "workspaces"

CREW_FILE = "CREW.md"

AGENT_FILE = "AGENT.md"


def crews(workspace: str) -> str:
    """Return the directory of the crews of *workspace*."""
    return f"{WORKSPACES}/{workspace}/crews"


def agents(workspace: str, crew: str) -> str:
    """Return the directory of the agents of *crew*."""
    return f"{crews(workspace)}/{crew}/agents"


def memory(member: Member) -> str:
    """Return the memory directory of *member*."""
    if isinstance(member, Agent):
        return f"{agents(member.workspace, member.crew)}/{member.slug}/{MEMORY}"
    if isinstance(member, Crew):
        return f"{crews(member.workspace)}/{member.name}/shared/{MEMORY}"
    return f"{WORKSPACES}/{member.name}/{MEMORY}"


def folders(member: Member) -> list[str]:
    """Return the directories that a new *member* is given."""
    below = memory(member)
    if isinstance(member, Agent):
        return [f"{below}/daily"]
    if isinstance(member, Crew):
        return [f"{below}/topics", agents(member.workspace, member.name)]
    return [below]


def files(member: Member) -> dict[str, str]:
    """Return the files that a new *member* is given, and what they say."""
    below = memory(member)
    if isinstance(member, Agent):
        return {f"{below}/{AGENT_FILE}": _page(member.slug, AGENT_SECTIONS)}
    if isinstance(member, Crew):
        return {f"{below}/{CREW_FILE}": _page(member.name, CREW_SECTIONS)}
    return {}


AGENT_SECTIONS = ("Identity", "Learned Facts", "Preferences", "Project Context")

CREW_SECTIONS = ("Mission", "Members", "Conventions", "Standing Decisions")


def _page(title: str, sections: tuple[str, ...]) -> str:
    """Return a page of empty sections: a word in one would be found by searches."""
    return "\n".join([f"# {title}", *(f"\n## {each}" for each in sections), ""])
