"""Crews and agents as bundles and syncs carry them."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.access import Access
from crewmem.registry.store import Registry


def describe_members(registry: Registry, access: Access) -> dict[str, list[dict[str, Any]]]:
    """Return the crews and agents whose memory an actor may read."""
    crews = [each for each in registry.list_crews() if access.is_member(each.name)]
    agents = [
        each
        for each in registry.list_agents()
        if access.is_operator or access.is_own(each.slug, each.crew)
    ]
    return {
        "crews": [
            {
                "name": each.name, "lead": each.lead, "description": each.description,
                "sharing": each.sharing, "consolidation": each.consolidation,
                "members": sorted(each.members) if access.is_operator else [],
            }
            for each in sorted(crews, key=lambda crew: crew.name)
        ],
        "agents": [
            {
                "slug": each.slug, "crew": each.crew, "memory": each.memory,
                "description": each.description,
            }
            for each in sorted(agents, key=lambda agent: agent.slug)
        ],
    }  # fmt: skip


def add_members(registry: Registry, described: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    """Add the crews and agents that are not here, and return how many.

    Those that are here stay as they are. An agent of a crew that is nowhere is left out.
    """
    crews = {each.name for each in registry.list_crews()}
    agents = {each.slug for each in registry.list_agents()}
    new_crews = []
    for crew in described.get("crews", ()):
        if crew["name"] not in crews:
            registry.add_crew(
                crew["name"],
                lead=crew.get("lead") or None,
                description=crew.get("description") or None,
                sharing=crew.get("sharing") or None,
                consolidation=crew.get("consolidation") or None,
            )
            crews.add(crew["name"])
            new_crews.append(crew)
    before = len(agents)
    for agent in described.get("agents", ()):
        if agent["slug"] not in agents and agent.get("crew") in crews:
            registry.add_agent(
                agent["slug"],
                crew=agent["crew"],
                memory=agent.get("memory"),
                description=agent.get("description") or None,
            )
            agents.add(agent["slug"])
    for crew in new_crews:
        members = [slug for slug in crew.get("members") or () if slug in agents]
        if members:
            registry.set_crew(crew["name"], add_members=members)
    return len(new_crews) + len(agents) - before
