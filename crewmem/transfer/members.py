"""Crews and agents in bundles and syncs, and the owners that imported items get."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crewmem.access import Access, Scope
from crewmem.registry.store import Registry

MemberRecords = Mapping[str, Sequence[Mapping[str, Any]]]
"""Records of crews and agents, under ``crews`` and ``agents``."""

MEMBER_FIELDS: Mapping[str, Mapping[str, type]] = {
    "crew": {
        "name": str,
        "lead": str,
        "description": str,
        "sharing": str,
        "consolidation": str,
        "members": list,
    },
    "agent": {"slug": str, "crew": str, "memory": bool, "description": str},
}
"""Fields of a record, with their types, by kind."""


def describe_members(registry: Registry, access: Access) -> dict[str, list[dict[str, Any]]]:
    """Return records of the crews and agents whose memory the actor may read."""
    crews = [each for each in registry.list_crews() if access.is_member(each.name)]
    agents = [
        each
        for each in registry.list_agents()
        if access.is_operator or access.is_own(each.slug, each.crew)
    ]
    of_crew, of_agent = MEMBER_FIELDS["crew"], MEMBER_FIELDS["agent"]
    return {
        "crews": [
            {name: getattr(each, name) for name in of_crew}
            | {"members": sorted(each.members) if access.is_operator else []}
            for each in sorted(crews, key=lambda crew: crew.name)
        ],
        "agents": [
            {name: getattr(each, name) for name in of_agent}
            for each in sorted(agents, key=lambda agent: agent.slug)
        ],
    }


def find_new_members(registry: Registry, records: MemberRecords) -> MemberRecords:
    """Return the records of crews and agents that are not registered.

    Agents are left out if their crew is neither registered nor among *records*.
    """
    crews = {each.name for each in registry.list_crews()}
    agents = {each.slug for each in registry.list_agents()}
    new: dict[str, dict[str, Mapping[str, Any]]] = {"crews": {}, "agents": {}}
    for crew in records.get("crews", ()):
        if crew["name"] not in crews:
            new["crews"].setdefault(crew["name"], crew)
    for agent in records.get("agents", ()):
        if agent["slug"] not in agents and agent["crew"] in crews | new["crews"].keys():
            new["agents"].setdefault(agent["slug"], agent)
    return {kind: list(by_name.values()) for kind, by_name in new.items()}


def add_members(registry: Registry, records: MemberRecords) -> int:
    """Register the crews and agents that are not registered yet; return their number."""
    new = find_new_members(registry, records)
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
    """The owner of an item, in the source or in this home."""

    scope: Scope
    crew: str = ""
    agent: str = ""

    @property
    def prefix(self) -> str:
        """Prefix of references to its files, such as ``agent:harbor/winch/``."""
        names = [name for name in (self.crew, self.agent) if name]
        return f"{self.scope}:" + "".join(f"{name}/" for name in names)


@dataclass(frozen=True, slots=True)
class OwnerResolver:
    """Decides who owns the imported texts, facts and versions of a source.

    Attributes:
        source_crews: Crews that own items of the source.
        source_agents: Agents that do.
        crew: Crew named by the user; "" for none.
        agent: Agent named by the user; "" for none.
        home_crews: Home crew of each agent, including those of a bundle.
        crews: The crews, including those of a bundle.
    """

    source_crews: Collection[str]
    source_agents: Collection[str]
    crew: str
    agent: str
    home_crews: Mapping[str, str]
    crews: Collection[str]

    def resolve(self, scope: Scope | None, crew: str, agent: str) -> ItemOwner | str:
        """Return the new owner of an item, or the reason why there is none.

        The agent or crew named by the user gets the items of the only one in the source.

        Args:
            scope: Scope of the item in the source; None for the named agent or crew.
            crew: Crew of the item in the source.
            agent: Agent of the item in the source.
        """
        named_crew, named_agent = self.crew, self.agent
        if scope is Scope.WORKSPACE:
            if named_agent or named_crew:
                return "it belongs to the workspace: import it without --agent and --crew"
            return ItemOwner(Scope.WORKSPACE)
        if scope is Scope.AGENT or (scope is None and named_agent):
            if named_agent and len(self.source_agents) > 1 and agent not in ("", named_agent):
                return f"it belongs to the agent '{agent}'"
            slug = named_agent or agent
            if not slug:
                return "it belongs to an agent: name it with --agent SLUG"
            if slug not in self.home_crews:
                return f"there is no agent '{slug}' here: add it, or name one with --agent"
            home_crew = self.home_crews[slug]
            if named_crew and not named_agent and home_crew != named_crew:
                return f"it belongs to the agent '{slug}', whose home crew is not '{named_crew}'"
            return ItemOwner(Scope.AGENT, home_crew, slug)
        if scope is not None and named_agent and not named_crew:
            return "it belongs to the crew: name the crew with --crew to import it"
        if named_crew and len(self.source_crews) > 1 and crew not in ("", named_crew):
            return f"it belongs to the crew '{crew}'"
        name = named_crew or crew
        if not name:
            return "it belongs to a crew: name it with --crew NAME"
        if name not in self.crews:
            return f"there is no crew '{name}' here: add it, or name one with --crew"
        return ItemOwner(Scope.CREW, name)
