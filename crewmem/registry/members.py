"""Records of the registry: workspaces, crews and agents."""

from dataclasses import dataclass

from crewmem.errors import UsageError
from crewmem.registry.membership import is_slug

ROLES = ("agent", "lead")

SHARING = ("review", "lead", "members")
"""Who may share facts with a crew: members through review, only its lead, or members at once."""

CONSOLIDATION = ("auto", "review")
"""Whether consolidation applies its plan, or puts it into review."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace.

    Attributes:
        crews: Names of its crews.
    """

    name: str
    crews: tuple[str, ...]
    description: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Crew:
    """A team of agents.

    Attributes:
        lead: Slug of the agent that leads it; "" for none.
        agents: Slugs of the agents whose home crew it is.
        members: Slugs of members with another home crew.
        sharing: One of SHARING.
        consolidation: One of CONSOLIDATION.
    """

    workspace: str
    name: str
    lead: str
    agents: tuple[str, ...]
    members: tuple[str, ...]
    description: str
    sharing: str
    consolidation: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent.

    Attributes:
        crew: Its home crew, where its files are.
        crews: All its crews, the home crew first.
        led: Crews that it leads.
        role: ``lead`` if it leads its home crew, else ``agent``.
        memory: Whether prompt blocks, hooks and jobs use its memory.
        projects: Directories that it works in.
    """

    workspace: str
    slug: str
    crew: str
    crews: tuple[str, ...]
    led: tuple[str, ...]
    role: str
    memory: bool
    description: str
    projects: tuple[str, ...]
    created_at: str


def check_slug(noun: str, name: str) -> None:
    """Raise UsageError unless *name* is a valid slug; *noun* is what it names, for the error."""
    if not is_slug(name):
        raise UsageError(
            f"'{name}' cannot name {noun}: use up to 64 lower case letters, digits and hyphens,"
            " beginning with a letter or digit",
            code="bad-name",
        )
