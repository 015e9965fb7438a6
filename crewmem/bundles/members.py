"""Who works in a workspace, as a bundle says it: crews, their leads and agents."""

from __future__ import annotations

import json

from crewmem import disk, times
from crewmem.errors import CrewmemError
from crewmem.errors.bundles import BundleDamagedError
from crewmem.files.place import Place
from crewmem.files.switch import BELOW, switch
from crewmem.ids import is_slug
from crewmem.journal.reading import BadLineError, json_object
from crewmem.records import NamedTuple
from crewmem.registry import layout
from crewmem.registry.choices import (
    AGENT_SETTINGS,
    CREW_SETTINGS,
    changes,
    complete,
    parsed,
)
from crewmem.registry.member import Agent, Crew
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from crewmem.registry.choices import Choice
    from crewmem.registry.store import Registry


class Members(NamedTuple):
    """Who works in a workspace.

    Attributes:
        opted_out: What stands for the persons who do not want to be known.
    """

    crews: tuple[Crew, ...] = ()
    agents: tuple[Agent, ...] = ()
    opted_out: tuple[str, ...] = ()


def spelled(members: Members) -> bytes:
    """Return *members*, those that are registered, as a bundle has them."""
    crews, agents, opted_out = members
    found = {
        "opted_out": sorted(opted_out),
        "crews": [_crew_record(each) for each in crews if each.registered],
        "agents": [_agent_record(each) for each in agents if each.registered],
    }
    return f"{json.dumps(found, indent=1, sort_keys=True)}\n".encode()


def _crew_record(crew: Crew) -> dict[str, object]:
    return {
        "name": crew.name,
        "lead": crew.lead,
        "description": crew.description,
        "settings": changes(crew.settings, CREW_SETTINGS),
        "created_at": times.to_text(crew.created_at) if crew.created_at else None,
    }


def _agent_record(agent: Agent) -> dict[str, object]:
    return {
        "slug": agent.slug,
        "crew": agent.crew,
        "member_of": [*agent.crews[1:]],
        "memory": agent.memory,
        "description": agent.description,
        "settings": changes(agent.settings, AGENT_SETTINGS),
        "created_at": times.to_text(agent.created_at) if agent.created_at else None,
    }


def read(content: bytes, workspace: str, name: str) -> Members:
    """Return the members that `spelled` made *content* of.

    Raises:
        BundleDamagedError: If it is something else.
    """
    try:
        found = json_object(content)
        crews = tuple(_crew(each, workspace) for each in found["crews"])
        agents = tuple(_agent(each, workspace) for each in found["agents"])
        opted_out = tuple(_slug(each) for each in found["opted_out"])
    except (BadLineError, CrewmemError) as error:
        raise BundleDamagedError(name, f"its registry: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = "its registry names something that is no crew and no agent"
        raise BundleDamagedError(name, reason) from error
    return Members(crews, agents, opted_out)


def _crew(found: Mapping[str, Any], workspace: str) -> Crew:
    lead = found["lead"]
    return Crew(
        workspace=workspace,
        name=_slug(found["name"]),
        lead=None if lead is None else _slug(lead),
        description=_text(found["description"]),
        settings=_settings(found["settings"], CREW_SETTINGS),
        created_at=times.from_text(found["created_at"]),
    )


def _agent(found: Mapping[str, Any], workspace: str) -> Agent:
    crew = _slug(found["crew"])
    return Agent(
        workspace=workspace,
        slug=_slug(found["slug"]),
        crew=crew,
        crews=(crew, *map(_slug, found["member_of"])),
        memory=bool(found["memory"]),
        description=_text(found["description"]),
        settings=_settings(found["settings"], AGENT_SETTINGS),
        created_at=times.from_text(found["created_at"]),
    )


def _slug(text: object) -> str:
    if not isinstance(text, str) or not is_slug(text):
        raise ValueError(str(text))
    return text


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(str(text))
    text.encode()
    return text


def _settings(found: object, known: Mapping[str, Choice]) -> dict[str, object]:
    if not isinstance(found, dict):
        raise TypeError(str(found))
    typed = {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in found.items()
    }
    return complete(parsed(typed, known), known)


def missing(registry: Registry | None, workspace: str, members: Members) -> Members:
    """Return those of *members* that are not registered in *workspace*."""
    if registry is None:
        return members
    crews = (
        each for each in members.crews if not registry.has_crew(workspace, each.name)
    )
    agents = (
        each for each in members.agents if not registry.has_agent(workspace, each.slug)
    )
    return members._replace(crews=tuple(crews), agents=tuple(agents))


def register(registry: Registry, home: Path, workspace: str, members: Members) -> None:
    """Register those of *members* that are missing, without their pages."""
    with registry.transaction(), disk.open_root(home) as root:
        new = missing(registry, workspace, members)
        for crew in new.crews:
            registry.add_crew(crew)
        there = {crew.name for crew in registry.crews(workspace)}
        for agent in new.agents:
            if agent.crew in there:
                registry.add_agent(agent)
                for name in sorted({*agent.crews} & there):
                    registry.add_member(workspace, agent.slug, name)
        both: tuple[Crew | Agent, ...] = (*new.crews, *new.agents)
        for member in both:
            for folder in layout.folders(member):
                disk.make_dirs(root, folder)
        for agent in new.agents:
            if not agent.memory:
                path = home / layout.memory(agent)
                place = Place(path, Scope.AGENT, agent.crew, agent.slug, below=BELOW)
                switch(place, on=False)
