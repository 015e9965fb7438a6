"""What an actor may see, by the crews that it belongs to. Pure."""

from __future__ import annotations

from crewmem.errors.registry import AgentMissingError, NotTheLeadError
from crewmem.scope import Role, Sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.scope import Actor


def sight_of(
    actor: Actor, workspace: str, *, crews: Sequence[str], led: Sequence[str]
) -> Sight:
    """Return what *actor*, an agent or a lead, may see in *workspace*.

    Args:
        actor: Who is asking.
        workspace: Where.
        crews: What it belongs to, its home first; none if it is not registered.
        led: The crews that name it as their lead.

    Raises:
        NotTheLeadError: If it acts as a lead and no crew names it.
        AgentMissingError: If it is not registered: it is misspelled, or of another
            workspace, and "nothing found" would be no answer.
    """
    if actor.role is Role.LEAD and not led:
        raise NotTheLeadError(actor.name)
    if not crews:
        raise AgentMissingError(actor.name, workspace)
    return Sight(
        actor=actor,
        crew=crews[0],
        crews=frozenset(crews),
        led=frozenset(led) if actor.role is Role.LEAD else None,
    )
