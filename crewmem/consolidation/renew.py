"""Plans that wait, made anew where what they were made for has changed."""

from __future__ import annotations

from crewmem.consolidation.apply import closed
from crewmem.consolidation.plan import every_target, plan
from crewmem.consolidation.proposed import BY, KIND, Claim, body_of, proposed
from crewmem.proposals.proposal import OPEN, REJECTED
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.consolidation.item import Settled
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.plan import File
    from crewmem.consolidation.proposed import Proposed
    from crewmem.proposals.proposal import Proposal


def open_plans(means: Means, crew: str) -> list[Proposal]:
    """Return the plans of *crew* that are not decided, or not done, oldest first."""
    found = Proposals(means.journal.db).of(means.workspace, status=OPEN, kind=KIND)
    return [each for each in reversed(found) if each.crew == crew]


def renew(means: Means, crew: str) -> list[str]:
    """Make plans of *crew* anew that wait and whose files have changed; return which.

    Their items stay what they are, under their numbers. Where not all of them have
    room by now the plan stays as it is, and approving it says so.
    """
    renewed = []
    for each in open_plans(means, crew):
        old = proposed(each.body)
        if old.claim or old.is_contest:
            continue
        items = [placed.item for placed in old.placed]
        files = means.files(every_target(items, means.today))
        if _fits(means, old, files):
            continue
        notes = [note for note in old.archives if _is_there(means, note)]
        made = plan(items, files, notes, means.today)
        if made.waiting:
            continue
        with means.journal.transaction():
            if made.does:
                Proposals(means.journal.db).rewrite(each, body_of(made, files))
            else:
                closed(means, each, REJECTED, Claim(BY, "nothing is left of it"))
        renewed.append(each.id)
    return renewed


def _fits(means: Means, plan: Proposed, files: Mapping[str, File]) -> bool:
    """Tell whether all is as it was when *plan* was made."""
    return all(
        (files.get(ref) or means.file(ref)).sha256 == found
        for ref, found in plan.files.items()
    ) and all(_is_there(means, note) for note in plan.archives)


def _is_there(means: Means, note: Settled) -> bool:
    return means.file(note.ref).sha256 == note.sha256
