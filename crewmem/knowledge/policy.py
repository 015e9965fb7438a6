"""Who may share with whom, and what happens to what they share. Pure."""

from __future__ import annotations

from crewmem.errors.registry import OutOfScopeError
from crewmem.memories.view import require_on
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.memories.memory import Owner
    from crewmem.memories.view import View
    from crewmem.scope import Actor

PROPOSAL, LEAD, MEMBERS = "proposal", "lead", "members"
"""Policies of a crew: members propose, only its lead shares, or all of them do."""


class Way(NamedTuple):
    """How something comes to be shared.

    Attributes:
        direct: At once; otherwise it waits for a person.
    """

    direct: bool


def way(actor: Actor, view: View, owner: Owner, policies: Mapping[str, str]) -> Way:
    """Decide how *actor* shares with *owner*, a crew or the workspace.

    Args:
        actor: Who shares.
        view: What it may see.
        owner: With whom.
        policies: ``crew_write`` of each crew.

    Raises:
        OutOfScopeError: If it is no member, or only the lead may.
        MemoryOffError: If its memory is switched off.
    """
    require_on(view)
    if view.agent is None:
        return Way(direct=True)
    if owner.scope == Scope.WORKSPACE:
        return Way(direct=False)
    if owner.crew not in view.crews:
        rule = "agents and leads share with their crews"
        raise OutOfScopeError(str(actor), f"share with crew {owner.crew}", rule)
    if owner.crew in view.led:
        return Way(direct=True)
    policy = policies.get(owner.crew, PROPOSAL)
    if policy == LEAD:
        rule = f"crew {owner.crew} lets its lead share (crew set crew_write)"
        raise OutOfScopeError(str(actor), f"share with crew {owner.crew}", rule)
    return Way(direct=policy == MEMBERS)
