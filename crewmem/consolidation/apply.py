"""Doing what a recorded plan says: files first, then their entries, then its end.

Every step is keyed by the id of its item: what a killed run did is found again, and
not done twice. A plan that was not finished stays open, and the next run goes on.
"""

from __future__ import annotations

from crewmem import times
from crewmem.consolidation.candidate import APPLIED, REJECTED
from crewmem.consolidation.events import consolidated, decided, sighted
from crewmem.consolidation.keep import settle
from crewmem.consolidation.plan import with_items
from crewmem.consolidation.proposed import BY, plan_in, proposed
from crewmem.consolidation.sighting import may_lead_to, with_seen
from crewmem.consolidation.wording import entry_id
from crewmem.episodes.relation import Edge, Kind
from crewmem.errors import CrewmemError
from crewmem.files.archive import archive
from crewmem.files.write import index, write
from crewmem.proposals.proposal import APPROVED
from crewmem.proposals.store import Proposals
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.consolidation.item import Evidence, Item, Settled
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.plan import Placed
    from crewmem.consolidation.proposed import Claim, Proposed
    from crewmem.consolidation.sighting import Sighting
    from crewmem.files.written import Written
    from crewmem.journal.entry import Entry
    from crewmem.proposals.proposal import Proposal

OPERATION = "consolidate"
"""What versions call it."""


class Applied(NamedTuple):
    """What was done of a plan.

    Attributes:
        proposal: The plan as it is now: approved, or still open.
        placed: What stands in memory.
        versions: The version of each file, by its name.
        before: The version before that; None if there was none.
        archived: Notes that were put away, as they are called now.
        failures: What could not be written; then the plan is still open.
        left: Notes that stay where they are, and why.
    """

    proposal: Proposal
    placed: tuple[Placed, ...]
    versions: dict[str, str]
    archived: tuple[str, ...]
    failures: tuple[CrewmemError, ...]
    left: tuple[str, ...]
    before: dict[str, str | None] = {}  # noqa: RUF012 - nobody adds to it


def apply(means: Means, proposal: Proposal) -> Applied:
    """Do what *proposal*, which somebody claimed, says; go on where it stopped.

    What cannot be written is returned; the rest is done all the same.
    """
    plan = plan_in(proposal)
    placed: list[Placed] = []
    versions: dict[str, str] = {}
    before: dict[str, str | None] = {}
    failures: list[CrewmemError] = []
    for ref in plan.refs:
        here = [each for each in plan.placed if each.ref == ref]
        seen = [each for each in plan.seen if each.ref == ref]
        try:
            version = _written(means, ref, here, seen)
            _entered(means, proposal, here, seen)
        except CrewmemError as error:
            failures.append(error)
            continue
        placed += here
        if version:
            versions[ref] = version
            before[ref] = means.before(ref)
    archived, left = _put_away(means, plan.archives)
    if plan.claim and not failures:
        try:
            with means.journal.transaction():
                proposal = closed(means, proposal, APPROVED, plan.claim)
        except CrewmemError as error:  # its own hint would say that nothing was done
            done = len(placed) + len(archived)
            error.hint = f"{how_far(plan, done)}; crewmem consolidate run goes on."
            raise
    return Applied(
        proposal, tuple(placed), versions, archived, tuple(failures), left, before
    )


def how_far(plan: Proposed, done: int) -> str:
    """Say how much of a plan was *done*, which could not be finished."""
    return f"{done} of {len(plan.placed) + len(plan.archives)} were done"


def _written(
    means: Means, ref: str, placed: Sequence[Placed], seen: Sequence[Sighting]
) -> str | None:
    """Write what was *placed* into the file *ref*, as it lacks it; return its version.

    What has an entry already was written once: if it is gone, somebody took it out.
    """
    ids = (*(entry_id(each.item) for each in placed), *(each.id for each in seen))
    done = means.journal.by_id(means.workspace, ids)
    new = [each for each in placed if entry_id(each.item) not in done]
    again = [each for each in seen if each.id not in done]
    if not new and not again:
        return None
    found = write_items(means, ref, new, again)
    return found.version if found.changed else None


def write_items(
    means: Means,
    ref: str,
    placed: Sequence[Placed],
    seen: Sequence[Sighting] = (),
    *,
    dry_run: bool = False,
) -> Written:
    """Write what was *placed* into the file *ref*, as `write` does; all else stays.

    Lines of what was *seen* again say so.

    Raises:
        As `write`; and SectionDamagedError, if nobody can tell what is whose.
    """
    items = [each.item for each in placed]
    gone = frozenset[str]().union(*(each.replaces for each in placed))
    return write(
        means.target(ref),
        lambda before: with_seen(with_items(before, items, ref, gone), ref, seen),
        means.pen,
        operation=OPERATION,
        dry_run=dry_run,
    )


def _known(means: Means, items: Iterable[Item]) -> dict[str, Entry]:
    ids = [entry_id(each) for each in items]
    return means.journal.by_id(means.workspace, ids)


def _entered(
    means: Means,
    proposal: Proposal,
    placed: Sequence[Placed],
    seen: Sequence[Sighting],
) -> None:
    """Add the entries of what was *placed*, and what supports them, once."""
    journal, items = means.journal, [each.item for each in placed]
    with journal.transaction():
        known = _known(means, items)
        new = [each for each in placed if entry_id(each.item) not in known]
        drafts = [consolidated(each, proposal.id) for each in new]
        journal.append(
            means.workspace, drafts, now=means.now, randomness=means.randomness
        )
    entries = _known(means, items)
    for each in items:  # those of a run that was killed as well
        entry = entries[entry_id(each)]
        _supported(means, entry, each.evidence, each.confidence)
    tell_seen(means, seen)


def tell_seen(means: Means, seen: Sequence[Sighting]) -> None:
    """Add the entries of what was *seen* again, and what supports it, once.

    What supports it comes first: of what has its entry nothing is looked at again.
    """
    if not seen:
        return
    journal = means.journal
    learned = journal.by_id(means.workspace, [each.entry for each in seen])
    for each in seen:
        entry = learned.get(each.entry)
        if entry and _may_be_supported(entry, each):
            sure = entry.payload.get("confidence")
            weight = sure if isinstance(sure, int | float) and 0 <= sure <= 1 else 1.0
            _supported(means, entry, each.evidence, weight)
    known = journal.by_id(means.workspace, [each.id for each in seen])
    drafts = [sighted(each) for each in seen if each.id not in known]
    journal.append(means.workspace, drafts, now=means.now, randomness=means.randomness)


def _may_be_supported(entry: Entry, seen: Sighting) -> bool:
    """Tell whether what was *seen* is of *entry*: a plan may come from anywhere."""
    return may_lead_to(seen.ref, entry.entry_type, entry.crew_id, entry.agent_id)


def _supported(
    means: Means, entry: Entry, evidence: Iterable[Evidence], weight: float
) -> None:
    """Relate *entry* to the entries that it rests on."""
    ids = [each.ref for each in evidence if each.source == "journal"]
    found = means.journal.by_id(means.workspace, ids)
    edges = [
        Edge(entry.seq, each.seq, Kind.SUPPORTS, weight)
        for each in found.values()
        if each.seq != entry.seq
    ]
    if edges:
        means.relations.add(edges, times.to_text(means.now))


def _put_away(
    means: Means, notes: Sequence[Settled]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put *notes* away; return how they are called now, and why others stayed."""
    done: list[str] = []
    left: list[str] = []
    for number, note in enumerate(notes, 1):
        if means.tick:
            means.tick(number, len(notes))
        try:
            target = means.target(note.ref)
            to = archive(target.place, target.file, note.sha256, means.pen)
        except CrewmemError as error:
            left.append(f"{note.ref} stays where it is: {error}")
            continue
        done.append(target.place.ref(to))
    return tuple(done), tuple(left)


def closed(means: Means, proposal: Proposal, status: str, claim: Claim) -> Proposal:
    """Close *proposal*, and settle what it was about; call it inside a transaction.

    What has an entry by now is applied; the rest was not chosen, or turned down.
    """
    plan = proposed(proposal.body)
    items = [each.placed.item for each in plan.parts if each.placed]
    done = _known(means, items)
    chosen = [each.id for each in items if entry_id(each) in done]
    every = [each.id for each in items]
    rest = [each for each in every if each not in chosen]
    journal, where = means.journal, (means.workspace, str(proposal.crew))
    for ids, became in ((chosen, APPLIED), (rest, REJECTED)):
        settle(journal.db, *where, ids, status=became, now=means.now)
    after = Proposals(journal.db).decide(
        proposal,
        status,
        by=claim.by,
        at=means.now,
        reason=claim.reason,
        outcome=next(iter(done), None),
    )
    if claim.by != BY:
        told = decided(after)
        journal.append(
            means.workspace, [told], now=means.now, randomness=means.randomness
        )
    return after


def indexed(means: Means, done: Applied) -> list[str]:
    """Bring the indexes up to date of what was changed; return why one was not."""
    return reindexed(means, (*done.versions, *done.archived))


def reindexed(means: Means, refs: Iterable[str]) -> list[str]:
    """Bring the indexes of the files *refs* up to date; return why one was not."""
    found = {}
    for ref in refs:
        place = means.target(ref).place
        found[place.path] = place
    return [
        f"the index of {path} was not brought up to date: {trouble}"
        for path, place in found.items()
        if (trouble := index(place, means.pen))
    ]
