"""Deciding a plan that waits for a person: all that was chosen of it, once, or nothing.

Everything is checked before anything is written. Then the decision is recorded, and
from there on it is done: a run, or the same approval, that finds it unfinished goes on.
What was not chosen is turned down with it.
"""

from __future__ import annotations

from crewmem.consolidation.apply import (
    Applied,
    apply,
    closed,
    how_far,
    write_items,
)
from crewmem.consolidation.proposed import BY, Claim, plan_in, proposed
from crewmem.consolidation.standing import standing
from crewmem.consolidation.wording import shown
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.consolidation import (
    EvidenceGoneError,
    NothingChosenError,
    PlanClaimedError,
    PlanStaleError,
    SidesError,
)
from crewmem.errors.proposals import DecidedError
from crewmem.files.folders import open_place
from crewmem.files.put import present
from crewmem.proposals.proposal import OPEN, REJECTED
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.proposed import Proposed
    from crewmem.proposals.proposal import Proposal

LEAST_EVIDENCE = 2
"""Places that have to say still what is to be kept: one is a single remark."""


def approve(means: Means, name: str, claim: Claim) -> Applied:
    """Do what the plan called *name* says, or the parts that *claim* chooses.

    Call it with the lock of the job held. What was approved before, and is not done
    yet, is gone on with as it was approved.

    Raises:
        DecidedError: If it is decided, and done.
        NothingChosenError: If it has no such part.
        SidesError: If it would keep what contradicts each other.
        PlanStaleError: If a file is not what the plan was made for.
        EvidenceGoneError: If what was read says something else by now.
        OverCapError: If a file would be too large.
        WriteRejectedError: If the scanner refuses what a file would say.
    """
    proposal = _open(means, name)
    plan = plan_in(proposal)
    if plan.claim is None:
        numbers = {each.number for each in plan.parts}
        for each in claim.only:
            if each not in numbers:
                raise NothingChosenError(name, str(each), len(numbers))
        if plan.is_contest and len(plan._replace(claim=claim).placed) > 1:
            raise SidesError(name, len(plan.parts))
        _require_fits(means, proposal, plan._replace(claim=claim))
        with means.journal.transaction():
            proposal = _open(means, name)
            if plan_in(proposal).claim is None:
                body = {**proposal.body, "claim": claim._asdict()}
                proposal = Proposals(means.journal.db).rewrite(proposal, body)
    done = apply(means, proposal)
    if done.failures:
        error = done.failures[0]  # its own hint may say that nothing was done
        told = how_far(plan_in(proposal), len(done.placed) + len(done.archived))
        error.hint = f"{told}; crewmem proposals approve {name} goes on."
        raise error
    return done


def reject(means: Means, name: str, by: str, reason: str) -> Proposal:
    """Do nothing of the plan called *name*; its items are never proposed again.

    Of one that a run could not finish, as its file is full, what was done stays.

    Raises:
        DecidedError: If it is decided.
        PlanClaimedError: If it was approved, and is not done yet.
    """
    with means.journal.transaction():
        proposal = _open(means, name)
        claim = proposed(proposal.body).claim
        if claim and claim.by != BY:
            raise PlanClaimedError(name, claim.by)
        return closed(means, proposal, REJECTED, Claim(by, reason))


def _open(means: Means, name: str) -> Proposal:
    """Return the plan called *name*, as it is now."""
    found = Proposals(means.journal.db).begun(means.workspace, name)
    proposal = next(each for each in found if each.id == name)
    if proposal.status != OPEN:
        raise DecidedError(name, proposal.status, str(proposal.decided_by))
    return proposal


def _require_fits(means: Means, proposal: Proposal, plan: Proposed) -> None:
    """Refuse a plan that was made for something else than what is there."""
    crew = str(proposal.crew)
    for ref in dict.fromkeys(each.ref for each in plan.placed):
        if _digest(means, ref) != plan.files[ref]:
            raise PlanStaleError(proposal.id, f"{ref} has changed", crew)
    for note in plan.archives:
        if _digest(means, note.ref) != note.sha256:
            raise PlanStaleError(proposal.id, f"{note.ref} has changed", crew)
    for part in plan.chosen:
        if part.placed:
            item = part.placed.item
            if standing(means, item.evidence).count(True) < LEAST_EVIDENCE:
                raise EvidenceGoneError(proposal.id, part.number, shown(item))
    for ref in dict.fromkeys(each.ref for each in plan.placed):
        here = [each for each in plan.placed if each.ref == ref]
        write_items(means, ref, here, dry_run=True)


def _digest(means: Means, ref: str) -> str:
    """Return the hash of what the file *ref* holds; "" if it is not there."""
    try:
        target = means.target(ref)
        with open_place(target.place) as root:
            content = present(root, target.file)
    except CrewmemError:
        return ""
    return "" if content is None else sha256(content)
