"""The records of the registry: workspace, crew, agent."""

from dataclasses import dataclass

from crewmem.errors import UsageError
from crewmem.registry.membership import is_slug

ROLES = ("agent", "lead")

SHARING = ("review", "lead", "members")
"""What happens when a member shares a fact with its crew."""

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
        lead: Slug of the agent that leads it; "" when none does.
        agents: Slugs of those at home in it.
        members: Slugs of others that belong to it.
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
        crew: Its home crew, where its files are.
        crews: All that it belongs to, the home crew first.
        led: The crews that name it as their lead.
        role: ``lead`` when its home crew names it as its lead, else ``agent``.
        memory: Whether prompts, recall and jobs take it into account.
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
