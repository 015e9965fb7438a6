"""What a plan would change, and what speaks for each part of it. Nothing is done."""

from __future__ import annotations

from difflib import unified_diff

from crewmem.consolidation.due import away
from crewmem.consolidation.plan import with_items
from crewmem.consolidation.proposed import plan_in
from crewmem.consolidation.sighting import with_seen
from crewmem.consolidation.standing import standing
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.files.screen import harmless
from crewmem.proposals.explain import Case, Change, FileChange, Ground, Spot
from crewmem.proposals.proposal import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Evidence
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.plan import Placed
    from crewmem.consolidation.proposed import Part, Proposed
    from crewmem.consolidation.sighting import Sighting
    from crewmem.proposals.proposal import Proposal


def change(means: Means, proposal: Proposal) -> Change:
    """Return what approving *proposal* would change, of the files as they are now.

    Of one that is decided it is what it was about, whatever became of that.
    """
    plan = plan_in(proposal)
    if proposal.status == OPEN and plan.is_contest:  # one of its sides, or none
        files = [_changed(means, plan, each.ref, [each]) for each in plan.placed]
    elif proposal.status == OPEN:
        files = [
            _changed(
                means,
                plan,
                ref,
                [one for one in plan.placed if one.ref == ref],
                [one for one in plan.seen if one.ref == ref],
            )
            for ref in plan.files
        ]
    else:
        files = [_said(plan, ref) for ref in plan.files]
    for note in plan.archives:
        is_stale = means.file(note.ref).sha256 != note.sha256
        moved = [f"-{note.ref}", f"+{away(note.ref)}"]
        is_stale = is_stale and proposal.status == OPEN
        files.append(FileChange(note.ref, is_stale, moved))
    lines = [line for each in files for line in each.lines]
    action = "updated" if proposal.status == OPEN and lines else "unchanged"
    return Change(proposal.id, action, None, lines, files)


def _said(plan: Proposed, ref: str) -> FileChange:
    """Return what a plan that is decided would have added to the file *ref*."""
    adds = [
        f"+{line}"
        for part in plan.parts
        if part.placed and part.placed.ref == ref
        for line in part.placed.adds.splitlines()
    ]
    again = [
        _again(each) for part in plan.parts for each in part.seen if each.ref == ref
    ]
    return FileChange(ref, is_stale=False, lines=[f"+++ {ref}", *adds, *again])


def _again(sighting: Sighting) -> str:
    return f"{sighting.text} (seen again {', '.join(sighting.days)})"


def _changed(
    means: Means,
    plan: Proposed,
    ref: str,
    placed: Sequence[Placed],
    seen: Sequence[Sighting] = (),
) -> FileChange:
    file = means.file(ref)
    before = file.content or b""
    gone = frozenset[str]().union(*(each.replaces for each in placed))
    try:
        after = with_items(before, [each.item for each in placed], ref, gone)
        after = with_seen(after, ref, seen)
    except SectionDamagedError:
        return FileChange(ref, is_stale=True, lines=[])
    scan = means.pen.scan
    old, new = (
        harmless(each.decode("utf-8", "replace"), scan).splitlines()
        for each in (before, after)
    )
    lines = unified_diff(old, new, ref, ref, lineterm="")
    return FileChange(ref, file.sha256 != plan.files[ref], [*lines])


def case(means: Means, proposal: Proposal) -> Case:
    """Return why *proposal* waits, and what speaks for each part of it."""
    plan = plan_in(proposal)
    parts = [_ground(means, each) for each in plan.parts]
    return Case(proposal, _why(proposal), [], 0, [], parts)


def _ground(means: Means, part: Part) -> Ground:
    if part.seen:
        said = "\n".join(map(_again, part.seen))
        rests = [one for each in part.seen for one in each.evidence]
        return Ground(
            part.number, ", ".join(part.refs), said, None, {}, _spots(means, rests)
        )
    if part.placed is None:
        notes = "\n".join(each.ref for each in part.archives)
        return Ground(part.number, part.owner, notes, None, {}, [])
    item = part.placed.item
    spots = _spots(means, item.evidence)
    signals = {name: round(value, 4) for name, value in item.score._asdict().items()}
    where, adds = part.placed.ref, part.placed.adds
    against = [each.said for each in part.placed.against]
    sure = round(item.confidence, 4)
    return Ground(part.number, where, adds, sure, signals, spots, against)


def _spots(means: Means, evidence: Sequence[Evidence]) -> list[Spot]:
    """Return what is cited, and whether each of it still says what it said."""
    there = standing(means, evidence)
    return [
        Spot(each.ref, each.kind, each.day, each.agent, each.quote, is_there)
        for each, is_there in zip(evidence, there, strict=True)
    ]


def _why(proposal: Proposal) -> str:
    plan = plan_in(proposal)
    claim = plan.claim
    if proposal.status != OPEN:
        return f"it does not wait: {proposal.decided_by} decided it"
    if claim:
        return f"{claim.by} approved it, and it is not done yet: the next run goes on"
    if plan.is_contest:
        what = "what stands already"
        if len(plan.parts) > 1:
            what = "each other, and maybe what stands already"
        return (
            f"what was noted contradicts {what}: approve keeps a side, in place of "
            "the line that was learned before; reject keeps what stands"
        )
    return (
        f"the policy of crew {proposal.crew} is review: what was learned of its notes "
        "waits for an operator"
    )
