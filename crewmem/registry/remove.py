"""Taking workspaces, crews and agents out of the registry. Their files stay."""

from __future__ import annotations

from crewmem.errors.registry import StillNeededError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.registry.member import Agent, Crew, Workspace
    from crewmem.registry.store import Registry

NAMED = 5
"""Names that a refusal lists; a workspace may have hundreds of crews."""


def remove_workspace(registry: Registry, name: str) -> Workspace:
    """Remove a workspace; return it as it was.

    Raises:
        WorkspaceMissingError: If it is not registered.
        StillNeededError: If it has crews.
    """
    with registry.transaction():
        found = registry.workspace(name)
        _require_empty(f"workspace {name!r}", "crew", found.crews, f" -w {name}")
        registry.remove_workspace(name)
    return found._replace(registered=False)


def remove_crew(registry: Registry, workspace: str, name: str) -> Crew:
    """Remove a crew; return it as it was.

    Agents of other crews that belong to it do so no longer.

    Raises:
        CrewMissingError: If it is not registered.
        StillNeededError: If agents are at home in it.
    """
    with registry.transaction():
        found = registry.crew(workspace, name)
        _require_empty(f"crew {name!r}", "agent", found.agents)
        registry.remove_crew(workspace, name)
    return found._replace(registered=False)


def remove_agent(registry: Registry, workspace: str, slug: str) -> Agent:
    """Remove an agent; return it as it was. Crews that it led have no lead then.

    Raises:
        AgentMissingError: If it is not registered.
    """
    with registry.transaction():
        found = registry.agent(workspace, slug)
        for crew in registry.led_by(workspace, slug):
            registry.set_lead(workspace, crew, None)
        registry.remove_agent(workspace, slug)
    return found._replace(registered=False)


def _require_empty(
    what: str, kind: str, names: Sequence[str], option: str = ""
) -> None:
    if not names:
        return
    shown = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    plural = kind if len(names) == 1 else f"{kind}s"
    hint = f"First: crewmem{option} {kind} remove {names[0]}"
    raise StillNeededError(what, f"it has {len(names)} {plural} ({shown})", hint)
