"""Crews and agents in bundles and syncs, and the new owners of imported items."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from crewmem.access import Access, Scope
from crewmem.registry.store import Registry

Described = Mapping[str, Sequence[Mapping[str, Any]]]
"""Crews and agents, under ``crews`` and ``agents``."""

MEMBER_FIELDS: Mapping[str, Mapping[str, type]] = {
    "crew": {
        "name": str, "lead": str, "description": str, "sharing": str, "consolidation": str,
        "members": list,
    },
    "agent": {"slug": str, "crew": str, "memory": bool, "description": str},
}  # fmt: skip
"""Fields of a record of each kind."""


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


def find_new_members(registry: Registry, described: Described) -> Described:
    """Return the crews and agents missing here, without agents whose crew is missing everywhere."""
    crews = {each.name for each in registry.list_crews()}
    agents = {each.slug for each in registry.list_agents()}
    new: dict[str, dict[str, Mapping[str, Any]]] = {"crews": {}, "agents": {}}
    for crew in described.get("crews", ()):
        if crew["name"] not in crews:
            new["crews"].setdefault(crew["name"], crew)
    for agent in described.get("agents", ()):
        if agent["slug"] not in agents and agent["crew"] in crews | new["crews"].keys():
            new["agents"].setdefault(agent["slug"], agent)
    return {what: list(found.values()) for what, found in new.items()}


def add_members(registry: Registry, described: Described) -> int:
    """Add the missing crews and agents, and return their number.

    Existing ones stay unchanged.
    """
    new = find_new_members(registry, described)
    for crew in new["crews"]:
        registry.add_crew(
            crew["name"],
            lead=crew["lead"] or None,
            description=crew["description"] or None,
            sharing=crew["sharing"] or None,
            consolidation=crew["consolidation"] or None,
        )
    for agent in new["agents"]:
        registry.add_agent(
            agent["slug"],
            crew=agent["crew"],
            memory=agent["memory"],
            description=agent["description"] or None,
        )
    agents = [each.slug for each in registry.list_agents()]
    for crew in new["crews"]:
        members = [slug for slug in crew["members"] if slug in agents]
        if members:
            registry.set_crew(crew["name"], add_members=members)
    return len(new["crews"]) + len(new["agents"])


class ItemOwner(NamedTuple):
    """The owner of an item, in a source or here."""

    scope: Scope
    crew: str = ""
    agent: str = ""

    @property
    def prefix(self) -> str:
        """Prefix of its files in references."""
        names = [name for name in (self.crew, self.agent) if name]
        return f"{self.scope}:" + "".join(f"{name}/" for name in names)


class Recipients:
    """Decides who gets the items of a source: texts, facts and versions alike."""

    def __init__(
        self,
        items: Iterable[tuple[str, str]],
        *,
        crew: str,
        agent: str,
        homes: Mapping[str, str],
        crews: Collection[str],
    ) -> None:
        """Decide for these items.

        Args:
            items: Crew and agent of each; "" for none.
            crew: Crew that the user named; "" for none.
            agent: Agent that the user named; "" for none.
            homes: Home crew of each agent, including those of a bundle.
            crews: The crews, including those of a bundle.
        """
        found = list(items)
        self._agents = {agent for _, agent in found if agent}
        self._crews = {crew for crew, agent in found if crew and not agent}
        self._crew, self._agent = crew, agent
        self._homes, self._here = homes, crews

    def find(self, scope: Scope | None, crew: str, agent: str) -> ItemOwner | str:
        """Return the new owner of an item, or the reason why there is none.

        Args:
            scope: Its scope in the source; None for the named agent or crew.
            crew: Its crew in the source.
            agent: Its agent in the source. If the source has only one, the named agent gets its
                items.
        """
        named_crew, named = self._crew, self._agent
        if scope is Scope.WORKSPACE:
            if named or named_crew:
                return "it belongs to the workspace: import it without --agent and --crew"
            return ItemOwner(Scope.WORKSPACE)
        if scope is Scope.AGENT or (scope is None and named):
            if named and len(self._agents) > 1 and agent not in ("", named):
                return f"it belongs to the agent '{agent}'"
            slug = named or agent
            if not slug:
                return "it belongs to an agent: name it with --agent SLUG"
            if slug not in self._homes:
                return f"there is no agent '{slug}' here: add it, or name one with --agent"
            if named_crew and not named and self._homes[slug] != named_crew:
                return f"it belongs to the agent '{slug}', whose home crew is not '{named_crew}'"
            return ItemOwner(Scope.AGENT, self._homes[slug], slug)
        if scope is not None and named and not named_crew:
            return "it belongs to the crew: name the crew with --crew to import it"
        if named_crew and len(self._crews) > 1 and crew not in ("", named_crew):
            return f"it belongs to the crew '{crew}'"
        name = named_crew or crew
        if not name:
            return "it belongs to a crew: name it with --crew NAME"
        if name not in self._here:
            return f"there is no crew '{name}' here: add it, or name one with --crew"
        return ItemOwner(Scope.CREW, name)
