"""Whether who asked may read what came: told once more, by the rows themselves.

Recall has its own filter; this one knows nothing of it. It asks of each hit whose it is
and in which workspace, and of the registry in which crews the agent is.
"""

from __future__ import annotations

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.cli.recalling.asking import Subject
    from crewmem.files.hit import Hit as Chunk


def is_allowed(hit: Any, whose: Subject, everybody: App) -> bool:
    """Tell whether *hit* is one that *whose* may read.

    Args:
        hit: Of any store.
        whose: Who asked.
        everybody: The same workspace, as operators see it.
    """
    crews = _crews(whose, everybody)
    if hit.store == "files":
        return _file(hit, whose.agent, crews, everybody)
    if hit.store == "journal":
        return _entry(hit.ref, whose.agent, crews, everybody)
    return _memory(hit.ref, whose.agent, crews, everybody)


def _crews(whose: Subject, everybody: App) -> frozenset[str]:
    from crewmem.registry.crews_store import crews_of

    db = everybody.truth_to_read
    if whose.agent is None:
        return frozenset()
    if db is None:
        return whose.app.sight.crews or frozenset()
    return frozenset(crews_of(db, everybody.workspace, whose.agent))


def _file(hit: Chunk, agent: str | None, crews: frozenset[str], everybody: App) -> bool:
    from crewmem.files.tiers import PRIVATE

    inside = everybody.home / "workspaces" / everybody.workspace
    if everybody.home in hit.path.parents and inside not in hit.path.parents:
        return False
    if hit.tier in PRIVATE:
        return False
    if agent is None or hit.scope == "workspace":
        return True
    crew, _, name = hit.owner.rpartition("/")
    return name == agent if hit.scope == "agent" else (crew or name) in crews


def _entry(ref: str, agent: str | None, crews: frozenset[str], everybody: App) -> bool:
    from crewmem.journal.store import Journal

    db = everybody.truth_to_read
    found = Journal(db).by_id(everybody.workspace, [ref]).get(ref) if db else None
    if found is None:
        return False
    return agent is None or agent == found.agent_id or found.crew_id in crews


def _memory(ref: str, agent: str | None, crews: frozenset[str], everybody: App) -> bool:
    from crewmem.cli.held import memories_to_read

    try:
        memories = memories_to_read(everybody)
    except CrewmemError:
        return False
    found = memories.by_id(everybody.workspace, ref) if memories else None
    if found is None:
        return False
    if found.sensitivity == "restricted" and (agent is None or found.agent != agent):
        return False
    if agent is None or found.scope == "workspace":
        return True
    return found.agent == agent if found.scope == "agent" else found.crew in crews
