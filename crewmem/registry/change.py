"""Changing what the registry says of workspaces, crews and agents."""

from __future__ import annotations

from crewmem.errors.registry import StillNeededError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.registry.member import Agent, Crew, Workspace
    from crewmem.registry.store import Registry


def change_workspace(
    registry: Registry, name: str, *, description: str | None = None
) -> Workspace:
    """Change a workspace; what is None stays.

    Raises:
        WorkspaceMissingError: If it is not registered.
    """
    with registry.transaction():
        found = registry.workspace(name)
        if description is not None:
            registry.update_workspace(found._replace(description=description))
    return registry.workspace(name)


def change_crew(
    registry: Registry,
    workspace: str,
    name: str,
    *,
    lead: str | None = None,
    join: Sequence[str] = (),
    leave: Sequence[str] = (),
    description: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Crew:
    """Change a crew; what is None stays.

    Args:
        lead: Slug of the agent that leads it and belongs to it; "" for nobody.
        join: Slugs of agents that shall belong to it.
        leave: Slugs of agents that shall no longer.
        settings: Those that change.

    Raises:
        CrewMissingError: If it is not registered.
        AgentMissingError: If one of the agents is not.
        StillNeededError: If one shall leave that leads it or is at home in it.
    """
    with registry.transaction():
        found = registry.crew(workspace, name)
        changed = found._replace(
            lead=found.lead if lead is None else lead or None,
            description=found.description if description is None else description,
            settings={**found.settings, **(settings or {})},
        )
        for slug in [*join, *([lead] if lead else [])]:
            registry.agent(workspace, slug)
            registry.add_member(workspace, slug, name)
        for slug in leave:
            _require_free(registry.agent(workspace, slug), changed)
            registry.remove_member(workspace, slug, name)
        registry.update_crew(changed)
    return registry.crew(workspace, name)


def _require_free(agent: Agent, crew: Crew) -> None:
    """Refuse that *agent* leaves *crew* while that depends on it."""
    what = f"agent {agent.slug!r}"
    if agent.crew == crew.name:
        hint = f"To take it out of the registry: crewmem agent remove {agent.slug}"
        raise StillNeededError(what, f"crew {crew.name!r} is its home", hint)
    if agent.slug == crew.lead:
        hint = f"First: crewmem crew set {crew.name} --lead SLUG"
        raise StillNeededError(what, f"it leads crew {crew.name!r}", hint)


def change_agent(
    registry: Registry,
    workspace: str,
    slug: str,
    *,
    memory: bool | None = None,
    description: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Agent:
    """Change an agent; what is None stays.

    Raises:
        AgentMissingError: If it is not registered.
    """
    with registry.transaction():
        found = registry.agent(workspace, slug)
        changed = found._replace(
            memory=found.memory if memory is None else memory,
            description=found.description if description is None else description,
            settings={**found.settings, **(settings or {})},
        )
        registry.update_agent(changed)
    return registry.agent(workspace, slug)
