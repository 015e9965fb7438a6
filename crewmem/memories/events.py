"""What becomes of memories, as the journal tells it: never what they say. Pure."""

from __future__ import annotations

from crewmem.journal.entry import Draft
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.memory import Memory
    from crewmem.scope import Actor


TYPES = {
    "remembered": "memory.created",
    "shared": "knowledge.shared",
    "up": "knowledge.confirmed",
    "down": "knowledge.contradicted",
}
"""Types that are called otherwise than what was done. A vote goes by its direction."""


def event(kind: str, memory: Memory, actor: Actor | None, **more: object) -> Draft:
    """Return the entry that says that something became of *memory*.

    Args:
        kind: What, as ``archived``: the type is ``memory.archived``, or as `TYPES` has
            it.
        memory: As it is after it.
        actor: Who did it; None: a job.
        more: What else there is to say, for the payload.
    """
    payload = {
        "id": memory.id,
        "kind": memory.kind,
        "scope": memory.scope,
        "status": memory.status,
        **{name: value for name, value in more.items() if value is not None},
    }
    published = TYPES.get(str(more.get("vote", kind)), f"memory.{kind}")
    return Draft(
        published,
        f"{memory.kind} {memory.id} of {memory.owner}: {kind}",
        crew_id=memory.crew,
        agent_id=memory.agent if memory.scope == Scope.AGENT else _author(actor),
        actor_type=_kind(actor),
        actor_id=actor.name if actor else None,
        payload=payload,
        severity="warn" if kind == "quarantined" else "info",
    )


def _author(actor: Actor | None) -> str | None:
    return actor.name if actor and not actor.is_operator else None


def _kind(actor: Actor | None) -> str:
    if actor is None:
        return "system"
    return "user" if actor.is_operator else "agent"
