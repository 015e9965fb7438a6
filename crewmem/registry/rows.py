"""Rows of the registry and the records they stand for. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.decode import decoded
from crewmem.registry.choices import AGENT_SETTINGS, CREW_SETTINGS, changes, complete
from crewmem.registry.member import Agent, Crew, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.db.connect import Row
    from crewmem.registry.choices import Choice


def workspace(row: Row) -> Workspace:
    """Return the record of a workspace."""
    name, description, created_at, crews = row
    return Workspace(
        name=name,
        crews=_slugs(crews),
        description=description,
        created_at=times.from_text(created_at),
    )


def crew(row: Row) -> Crew:
    """Return the record of a crew."""
    workspace, name, lead, description, settings, created_at, agents, members = row
    return Crew(
        workspace=workspace,
        name=name,
        lead=lead,
        agents=_slugs(agents),
        members=_slugs(members),
        description=description,
        settings=_settings(settings, CREW_SETTINGS),
        created_at=times.from_text(created_at),
    )


def agent(row: Row) -> Agent:
    """Return the record of an agent."""
    workspace, slug, crew, memory, description, settings, created_at, lead, more = row
    return Agent(
        workspace=workspace,
        slug=slug,
        crew=crew,
        crews=(crew, *_slugs(more)),
        role="lead" if lead == slug else "agent",
        memory=bool(memory),
        description=description,
        settings=_settings(settings, AGENT_SETTINGS),
        created_at=times.from_text(created_at),
    )


def _slugs(text: str | None) -> tuple[str, ...]:
    return tuple((text or "").split())


def _settings(text: str, known: Mapping[str, Choice]) -> dict[str, object]:
    return complete(decoded(text), known)


def _settings_text(settings: Mapping[str, object], known: Mapping[str, Choice]) -> str:
    from json import dumps  # to read a crew takes none of it

    return dumps(changes(settings, known), sort_keys=True)


def workspace_values(each: Workspace) -> dict[str, object]:
    """Return what is kept of a workspace, by column."""
    return {
        "name": each.name,
        "description": each.description,
        "created_at": _instant(each.created_at),
    }


def crew_values(each: Crew) -> dict[str, object]:
    """Return what is kept of a crew, by column."""
    return {
        "workspace": each.workspace,
        "name": each.name,
        "lead": each.lead,
        "description": each.description,
        "settings": _settings_text(each.settings, CREW_SETTINGS),
        "created_at": _instant(each.created_at),
    }


def agent_values(each: Agent) -> dict[str, object]:
    """Return what is kept of an agent, by column."""
    return {
        "workspace": each.workspace,
        "slug": each.slug,
        "crew": each.crew,
        "memory": each.memory,
        "description": each.description,
        "settings": _settings_text(each.settings, AGENT_SETTINGS),
        "created_at": _instant(each.created_at),
    }


def _instant(known: datetime | None) -> str | None:
    return times.to_text(known) if known else None
