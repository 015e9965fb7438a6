"""A change that waits for a person, and who may see and decide it. Pure."""

from __future__ import annotations

from crewmem.errors.registry import OutOfScopeError
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.memories.view import View
    from crewmem.scope import Actor

OPEN, APPROVED, REJECTED = "open", "approved", "rejected"
STATUSES = (OPEN, APPROVED, REJECTED)

CONSOLIDATION = "consolidation"
"""The kind of a plan that changes files. It quotes what the agents of a crew noted,
each for itself: operators alone see it."""


class Proposal(NamedTuple):
    """A change that waits for a person.

    Attributes:
        seq: Its place in the database.
        id: p_ and 12 characters.
        workspace: The workspace that it is in.
        kind: What it comes from: share, promote or consolidation.
        scope: What it would change: what a crew or the workspace holds.
        crew: The crew; null if it is not a crew's.
        title: What it is about, in a line.
        body: What is to be done, an object.
        evidence: Ids of what it rests on.
        status: open, approved or rejected.
        created_by: Who proposed it, as agent:mira.
        created_at: When.
        decided_by: Who decided; null while it is open.
        decided_at: When; null while it is open.
        reason: Why it was decided so; "" if nobody said.
        outcome: The id of what came of it; null for nothing.
    """

    seq: int
    id: str
    workspace: str
    kind: str
    scope: str
    crew: str | None
    title: str
    body: Mapping[str, object]
    evidence: list[str]
    status: str
    created_by: str
    created_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    reason: str
    outcome: str | None


class Draft(NamedTuple):
    """What somebody proposes."""

    kind: str
    scope: str
    crew: str
    title: str
    body: Mapping[str, object]
    evidence: list[str]


def is_visible(proposal: Proposal, view: View, actor: Actor) -> bool:
    """Tell whether an actor of *view* may see a proposal.

    Who made it may, operators, and the lead of the crew it is for; what changes files
    is for operators alone.
    """
    if view.agent is None or proposal.kind == CONSOLIDATION:
        return view.agent is None
    if proposal.created_by == str(actor):
        return True
    own = proposal.created_by.partition(":")[2] == view.agent
    return own or (proposal.crew is not None and proposal.crew in view.led)


def require_decider(proposal: Proposal, view: View, actor: Actor) -> None:
    """Refuse to decide for who may not.

    Raises:
        OutOfScopeError: If it is neither an operator nor the lead of its crew.
    """
    if view.agent is None:
        return
    if proposal.scope == Scope.CREW and proposal.crew in view.led:
        return
    rule = "operators decide, and the lead what its crew is to hold"
    raise OutOfScopeError(str(actor), f"decide {proposal.id}", rule)
