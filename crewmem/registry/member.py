"""What a workspace, a crew and an agent are. Pure."""

from __future__ import annotations

from crewmem.errors.values import BadNameError
from crewmem.ids import is_slug
from crewmem.records import NamedTuple
from crewmem.registry.choices import AGENT_SETTINGS, CREW_SETTINGS, defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class Workspace(NamedTuple):
    """Hard isolation: nothing crosses it.

    Attributes:
        crews: The names of its crews.
        created_at: When it was registered; None if it is not.
        registered: Whether the registry has it; if not, it was found on disk.
    """

    name: str
    crews: tuple[str, ...] = ()
    description: str = ""
    created_at: datetime | None = None
    registered: bool = True


class Crew(NamedTuple):
    """A team of agents in a workspace.

    Attributes:
        lead: Slug of the agent that leads it, if one does.
        agents: Slugs of those at home in it.
        members: Slugs of others that belong to it.
        settings: All of them, with their defaults.
        created_at: When it was registered; None if it is not.
        registered: Whether the registry has it; if not, it was found on disk.
    """

    workspace: str
    name: str
    lead: str | None = None
    agents: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    description: str = ""
    settings: Mapping[str, object] = defaults(CREW_SETTINGS)
    created_at: datetime | None = None
    registered: bool = True


class Agent(NamedTuple):
    """One member, by slug.

    Attributes:
        crew: Its home crew, where its files are.
        crews: All it belongs to, the home crew first.
        role: ``lead`` if its home crew names it as its lead, else ``agent``.
        memory: Whether its memory is switched on.
        settings: All of them, with their defaults.
        created_at: When it was registered; None if it is not.
        registered: Whether the registry has it; if not, it was found on disk.
    """

    workspace: str
    slug: str
    crew: str
    crews: tuple[str, ...]
    role: str = "agent"
    memory: bool = True
    description: str = ""
    settings: Mapping[str, object] = defaults(AGENT_SETTINGS)
    created_at: datetime | None = None
    registered: bool = True


Member = Workspace | Crew | Agent


def new_workspace(name: str, *, description: str = "", now: datetime) -> Workspace:
    """Return a workspace to be added.

    Raises:
        BadNameError: If it cannot be called *name*.
    """
    _require_slug("a workspace", name)
    return Workspace(name=name, description=description, created_at=now)


def new_crew(
    workspace: str,
    name: str,
    *,
    lead: str | None = None,
    description: str = "",
    now: datetime,
) -> Crew:
    """Return a crew to be added; its *lead* may come later.

    Raises:
        BadNameError: If it cannot be called *name*, or its lead not *lead*.
    """
    _require_slug("a crew", name)
    if lead is not None:
        _require_slug("an agent", lead)
    return Crew(
        workspace=workspace,
        name=name,
        lead=lead,
        description=description,
        created_at=now,
    )


def new_agent(
    workspace: str,
    slug: str,
    *,
    crew: str,
    role: str = "agent",
    description: str = "",
    now: datetime,
) -> Agent:
    """Return an agent to be added.

    Raises:
        BadNameError: If it cannot be called *slug*.
    """
    _require_slug("an agent", slug)
    return Agent(
        workspace=workspace,
        slug=slug,
        crew=crew,
        crews=(crew,),
        role=role,
        description=description,
        created_at=now,
    )


def _require_slug(kind: str, name: str) -> None:
    if not is_slug(name):
        raise BadNameError(kind, name)
