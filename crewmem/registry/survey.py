"""Telling who works here: by the registry, and by the directories that it lacks."""

from __future__ import annotations

from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    WorkspaceMissingError,
)
from crewmem.registry.member import Agent, Crew, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.registry.folders import Folders
    from crewmem.registry.store import Registry


def workspaces(folders: Folders, registry: Registry | None) -> list[Workspace]:
    """Return all workspaces, by name."""
    known = {each.name: each for each in registry.workspaces()} if registry else {}
    found = [
        Workspace(name=name, crews=tuple(folders.crews(name)), registered=False)
        for name in folders.workspaces()
        if name not in known
    ]
    return sorted([*known.values(), *found], key=lambda each: each.name)


def workspace(folders: Folders, registry: Registry | None, name: str) -> Workspace:
    """Return the workspace called *name*.

    Raises:
        WorkspaceMissingError: If there is none.
    """
    for each in workspaces(folders, registry):
        if each.name == name:
            return each
    raise WorkspaceMissingError(name)


def crews(folders: Folders, registry: Registry | None, workspace: str) -> list[Crew]:
    """Return the crews of *workspace*, by name.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
    """
    _require_workspace(folders, registry, workspace)
    known = {each.name: each for each in registry.crews(workspace)} if registry else {}
    found = [
        Crew(
            workspace=workspace,
            name=name,
            agents=tuple(folders.agents(workspace, name)),
            registered=False,
        )
        for name in folders.crews(workspace)
        if name not in known
    ]
    return sorted([*known.values(), *found], key=lambda each: each.name)


def crew(
    folders: Folders, registry: Registry | None, workspace: str, name: str
) -> Crew:
    """Return the crew called *name*.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        CrewMissingError: If there is no such crew in it.
    """
    for each in crews(folders, registry, workspace):
        if each.name == name:
            return each
    raise CrewMissingError(name, workspace)


def agents(
    folders: Folders,
    registry: Registry | None,
    workspace: str,
    *,
    crew: str | None = None,
) -> list[Agent]:
    """Return the agents of *workspace*, by slug.

    Args:
        crew: Only those who belong to it.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        CrewMissingError: If there is no such crew in it.
    """
    _require_workspace(folders, registry, workspace)
    known = registry.agents(workspace) if registry else []
    homes = {(each.crew, each.slug) for each in known}
    names = set(folders.crews(workspace))
    names.update(each.name for each in (registry.crews(workspace) if registry else ()))
    if crew is not None and crew not in names:
        raise CrewMissingError(crew, workspace)
    found = [
        Agent(
            workspace=workspace, slug=slug, crew=name, crews=(name,), registered=False
        )
        for name in sorted(names)
        for slug in folders.agents(workspace, name)
        if (name, slug) not in homes
    ]
    wanted = [each for each in [*known, *found] if crew is None or crew in each.crews]
    return sorted(wanted, key=lambda each: (each.slug, not each.registered))


def agent(
    folders: Folders, registry: Registry | None, workspace: str, slug: str
) -> Agent:
    """Return the agent called *slug*; of several on disk the registered one is it.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        AgentMissingError: If there is no such agent in it.
    """
    for each in agents(folders, registry, workspace):
        if each.slug == slug:
            return each
    raise AgentMissingError(slug, workspace)


def _require_workspace(folders: Folders, registry: Registry | None, name: str) -> None:
    if registry and registry.has_workspace(name):
        return
    if name not in folders.workspaces():
        raise WorkspaceMissingError(name)
