"""Deciding what waits for a person: approved it is done, at once and once."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.memories import UnsafeTextError
from crewmem.errors.proposals import DecidedError, NotSharedError
from crewmem.journal.entry import Draft as Event
from crewmem.memories.draft import Draft
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.memory import Owner
from crewmem.memories.remember import remember
from crewmem.proposals.proposal import APPROVED, OPEN, REJECTED, require_decider
from crewmem.proposals.store import Proposals
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from crewmem.consolidation.report import Kept
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Remembered, Scan
    from crewmem.memories.similar import Tokenize
    from crewmem.proposals.proposal import Proposal


PROMOTE = "promote"


class Decided(NamedTuple):
    """What was decided, and what came of it.

    Attributes:
        proposal: The proposal as it is now.
        done: What was remembered; null for nothing.
        kept: Of a plan for files, what stands in them now.
        archived: Of one, the daily notes that were put away, as they are called now.
        versions: Of one, the files that were changed, each with the version before
            that; null if there was none.
    """

    proposal: Proposal
    done: Remembered | None
    kept: list[Kept] = []  # noqa: RUF012 - nobody adds to it
    archived: list[str] = []  # noqa: RUF012 - nobody adds to it
    versions: dict[str, str | None] = {}  # noqa: RUF012 - nobody adds to it


def find(desk: Desk, name: str) -> Proposal:
    """Return the proposal that *name* names, as far as the actor may see.

    Raises:
        ProposalMissingError: If there is none.
        ProposalAmbiguousError: If there are several.
    """
    return Proposals(desk.memories.db).find(name, desk.view, desk.actor)


def approve(
    desk: Desk, name: str, *, reason: str, scan: Scan, tokenize: Tokenize
) -> Decided:
    """Do what was proposed.

    Raises:
        OutOfScopeError: If the actor may not decide it.
        DecidedError: If it is decided already.
        UnsafeTextError: If it looks like an attack or a secret by now.
        NotSharedError: If what it is of was put away meanwhile, or restricted.
    """
    with desk.journal.transaction():
        proposal = _open(desk, name)
        sources = _sources(desk, proposal)
        done = remember(desk, draft_of(proposal), scan=scan, tokenize=tokenize)
        if done.action == "quarantined":
            raise UnsafeTextError(f"what {proposal.id} says", done.rules)
        if done.action == "created":
            desk.tell("shared", done.memory)
        for source in sources:
            if desk.relate(done.memory.seq, source.seq, "promoted_from"):
                desk.tell("promoted", source, to=done.memory.id)
        after = _decided(desk, proposal, APPROVED, reason, done.memory.id)
    return Decided(after, done)


def _sources(desk: Desk, proposal: Proposal) -> list[Memory]:
    """Return the memories that *proposal* would share: they have to be held still."""
    if proposal.kind != PROMOTE:
        return []
    found = [desk.memories.by_id(desk.workspace, each) for each in proposal.evidence]
    sources = [each for each in found if each]
    for each in sources:
        if each.status not in LIVE:
            raise NotSharedError(each.id, f"it is {each.status} by now")
        was = proposal.body.get("source_sensitivity", each.sensitivity)
        if each.sensitivity == "restricted" != was:
            raise NotSharedError(each.id, "it is restricted by now")
    return sources


def reject(desk: Desk, name: str, *, reason: str) -> Decided:
    """Do nothing of what was proposed, and keep why.

    Raises:
        OutOfScopeError: If the actor may not decide it.
        DecidedError: If it is decided already.
    """
    with desk.journal.transaction():
        proposal = _open(desk, name)
        return Decided(_decided(desk, proposal, REJECTED, reason, None), None)


def _open(desk: Desk, name: str) -> Proposal:
    proposal = find(desk, name)
    require_decider(proposal, desk.view, desk.actor)
    if proposal.status != OPEN:
        raise DecidedError(proposal.id, proposal.status, str(proposal.decided_by))
    return proposal


def _decided(
    desk: Desk, proposal: Proposal, status: str, reason: str, outcome: str | None
) -> Proposal:
    after = Proposals(desk.memories.db).decide(
        proposal,
        status,
        by=desk.by,
        at=desk.now,
        reason=reason,
        outcome=outcome,
    )
    tell(desk, status, after)
    return after


def tell(desk: Desk, what: str, proposal: Proposal) -> None:
    """Add to the journal what became of *proposal*; call it inside the change."""
    payload = {"id": proposal.id, "kind": proposal.kind, "status": proposal.status}
    entry = Event(
        f"proposal.{what}",
        f"{proposal.kind} {proposal.id}: {what}",
        crew_id=proposal.crew,
        actor_type="user" if desk.actor.is_operator else "agent",
        actor_id=desk.actor.name,
        payload=payload,
    )
    desk.journal.append(
        desk.workspace, [entry], now=desk.now, randomness=desk.randomness
    )


def body_of(draft: Draft) -> dict[str, object]:
    """Return what a proposal holds of what is to be remembered."""
    return {
        "content": draft.content,
        "kind": draft.kind,
        "subtype": draft.subtype,
        "title": draft.title,
        "importance": draft.importance,
        "confidence": draft.confidence,
        "base_quality": draft.base_quality,
        "sensitivity": draft.sensitivity,
        "tags": [*draft.tags],
        "entities": [*draft.entities],
        "topic_key": draft.topic_key,
        "metadata": {**draft.metadata},
        "project": draft.project,
        "issue": draft.issue,
        "origin": draft.origin,
        "occurred_at": _stamp(draft.occurred_at),
        "expires_at": _stamp(draft.expires_at),
    }


def _stamp(instant: datetime | None) -> str | None:
    return times.to_text(instant) if instant else None


def draft_of(proposal: Proposal) -> Draft:
    """Return what *proposal* would have remembered."""
    body: dict[str, Any] = {**proposal.body}
    body.pop("source_sensitivity", None)
    for name in ("occurred_at", "expires_at"):
        at = body.get(name)
        body[name] = times.from_text(at) if at else None
    metadata = {**body["metadata"], "proposed_by": proposal.created_by}
    owner = Owner(proposal.scope, crew=proposal.crew or "")
    return Draft(owner=owner, **{**body, "metadata": metadata})
