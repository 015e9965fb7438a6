"""Adding workspaces, crews and agents: their directories first, then the registry.

All under the lock of the registry, so that who has to wait for it too long has made
nothing. Who is killed in between runs it again: what is there is left alone, and a
tree that was restored from a backup is registered as it is.
"""

from __future__ import annotations

from contextlib import suppress

from crewmem import disk
from crewmem.errors.registry import ExistsError, LeadTakenError
from crewmem.records import NamedTuple
from crewmem.registry import layout
from crewmem.registry.member import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crewmem.registry.member import Agent, Crew, Member
    from crewmem.registry.store import Registry

    Begun = Callable[[Member], None]


class Added(NamedTuple):
    """What was added.

    Attributes:
        made: The files that were made, below the home; others were there.
    """

    member: Member
    made: tuple[str, ...]


def add_workspace(registry: Registry, home: Path, new: Workspace) -> Added:
    """Add a workspace to *home*.

    Raises:
        ExistsError: If it is registered.
    """
    with registry.transaction():
        if registry.has_workspace(new.name):
            raise ExistsError(f"workspace {new.name!r}")
        made = make(home, new)
        registry.add_workspace(new)
    return Added(registry.workspace(new.name), made)


def add_crew(
    registry: Registry, home: Path, new: Crew, *, begun: Begun | None = None
) -> Added:
    """Add a crew to *home*, and its workspace if there is none.

    A lead that is registered belongs to the crew from now on. *begun* is told, as a
    part of it, that its page is there.

    Raises:
        ExistsError: If it is registered.
    """
    with registry.transaction():
        if registry.has_crew(new.workspace, new.name):
            raise ExistsError(f"crew {new.name!r}")
        workspace = Workspace(name=new.workspace, created_at=new.created_at)
        made = make(home, workspace) + make(home, new)
        if not registry.has_workspace(new.workspace):
            registry.add_workspace(workspace)
        registry.add_crew(new)
        if new.lead:
            registry.add_member(new.workspace, new.lead, new.name)
        if begun:
            begun(new)
    return Added(registry.crew(new.workspace, new.name), made)


def add_agent(
    registry: Registry, home: Path, new: Agent, *, begun: Begun | None = None
) -> Added:
    """Add an agent to its crew in *home*.

    Crews that have named it as their lead before it was there have it as a member.
    *begun* is told, as a part of it, that its page is there.

    Raises:
        CrewMissingError: If its crew is not registered.
        ExistsError: If it is registered, in whatever crew.
        LeadTakenError: If it is to lead a crew that somebody leads.
    """
    with registry.transaction():
        _require_new_agent(registry, new)
        made = make(home, new)
        registry.add_agent(new)
        if new.role == "lead":
            registry.set_lead(new.workspace, new.crew, new.slug)
        for crew in registry.led_by(new.workspace, new.slug):
            registry.add_member(new.workspace, new.slug, crew)
        if begun:
            begun(new)
    return Added(registry.agent(new.workspace, new.slug), made)


def _require_new_agent(registry: Registry, new: Agent) -> None:
    crew = registry.crew(new.workspace, new.crew)
    if registry.has_agent(new.workspace, new.slug):
        home = registry.agent(new.workspace, new.slug).crew
        raise ExistsError(f"agent {new.slug!r} of crew {home!r}")
    if new.role == "lead" and crew.lead not in {None, new.slug}:
        raise LeadTakenError(crew.name, str(crew.lead), new.slug)


def make(home: Path, new: Member) -> tuple[str, ...]:
    """Make what *new* needs below *home*, as far as it is missing; return the files."""
    made = []
    with disk.open_root(home) as root:
        for folder in layout.folders(new):
            disk.make_dirs(root, folder)
        for file, text in layout.files(new).items():
            with suppress(ExistsError):
                disk.create(root, file, text.encode())
                made.append(file)
    return tuple(made)
