"""The records of the registry: workspace, crew, agent."""

from dataclasses import dataclass

from crewmem.errors import UsageError
from crewmem.registry.membership import is_slug

ROLES = ("agent", "lead")

SHARING = ("review", "lead", "members")
"""Who may share facts with a crew: members through review, only its lead, or members at once."""

CONSOLIDATION = ("auto", "review")
"""Whether the plan of a consolidation is applied or waits in review."""


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
        agents: Slugs of agents whose home crew it is.
        members: Slugs of the other members.
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
    """A member of crews.

    Attributes:
        crew: Home crew, which holds its files.
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


def check_slug(what: str, name: str) -> None:
    """Raise UsageError unless *name* can name a workspace, crew or agent."""
    if not is_slug(name):
        raise UsageError(
            f"'{name}' cannot name {what}: use up to 64 lower case letters, digits and hyphens,"
            " beginning with a letter or digit",
            code="bad-name",
        )
