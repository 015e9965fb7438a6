"""The order of steps, for one crew: finish, read, plan, record, do, pin.

A plan is recorded together with how far was read, in one transaction, and only then
done. So nothing is read twice or passed over, and a run that is killed anywhere leaves
either nothing, or a plan that the next one finishes.
"""

from __future__ import annotations

from crewmem import ids
from crewmem.consolidation.apply import (
    apply,
    how_far,
    reindexed,
    tell_seen,
)
from crewmem.consolidation.contest import contests, propose, refresh
from crewmem.consolidation.events import waits
from crewmem.consolidation.item import Dropped, Outcome
from crewmem.consolidation.pin import pin
from crewmem.consolidation.planning import Sorted, planned
from crewmem.consolidation.proposed import BY, KIND, Claim, body_of, plan_in, title_of
from crewmem.consolidation.renew import open_plans, renew
from crewmem.consolidation.report import Crew, contested, kept, met_again
from crewmem.consolidation.wording import addition, entry_id
from crewmem.errors.consolidation import PlanDamagedError
from crewmem.files.screen import screened
from crewmem.proposals.proposal import Draft
from crewmem.proposals.store import Proposals
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crewmem.consolidation.apply import Applied
    from crewmem.consolidation.item import Gathered, Item
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.pins import Pinned
    from crewmem.consolidation.plan import File, Placed, Plan
    from crewmem.proposals.proposal import Proposal

    Gather = Callable[[], Gathered]
    """Reads what is new, and decides what is worth keeping; writes nothing."""

    Keep = Callable[[Gathered, Outcome], None]
    """Keeps how far was read, and what became of items; inside a transaction."""

AUTO, REVIEW = "auto", "review"
"""What passes the gate is applied, or waits for a person."""


IN_PROPOSAL = "it waits in the proposal "
"""How a reason begins of what was told when it was proposed: no run says it again."""


class Asked(NamedTuple):
    """What a run is to do with a crew.

    Attributes:
        crew: Its name.
        policy: `AUTO` or `REVIEW`.
        dry_run: Whether nothing is written.
    """

    crew: str
    policy: str
    dry_run: bool = False


def consolidate(
    means: Means,
    asked: Asked,
    gather: Gather,
    keep: Keep,
    warn: Callable[[str], None],
) -> Crew:
    """Make memory of what is new in the notes and the journal of a crew.

    *warn* is told what a person should know.
    """
    crew, writes = asked.crew, not asked.dry_run
    done: list[Applied] = []
    if writes:
        done = finish(means, crew, warn)
        refresh(means, crew)
    gathered = gather()
    news = _untold(means, gathered)
    found = _sorted(means, gathered.items)
    is_auto = asked.policy == AUTO
    made, files, stay = planned(means, crew, news, found, is_auto=is_auto)
    damaged = (f"{each}; the file is left as it is" for each in made.damaged)
    for notice in (*gathered.notices, *stay, *damaged):
        warn(notice)
    sides = contests(means, made.contested)
    proposal, renewed = None, []
    names: list[str | None] = [None for _ in sides]
    if writes:
        said = gathered, found, sides
        proposal, names = _recorded(means, asked, made, files, said, keep)
        if proposal and is_auto:
            done.append(_done(means, proposal, warn))
        renewed = renew(means, crew)
        refresh(means, crew)
    pins, left = pin(means, crew, dry_run=asked.dry_run)
    for trouble in left:
        warn(trouble)
    report = _report(asked, news, found, made, done, pins)
    if writes:
        for trouble in reindexed(means, (*report.paths, *report.archived)):
            warn(trouble)
    return report._replace(
        proposal=proposal.id if proposal else None,
        renewed=renewed,
        contradictions=[contested(*each) for each in zip(sides, names, strict=True)],
    )


def _untold(means: Means, gathered: Gathered) -> Gathered:
    """Return *gathered* without sightings that an earlier run told of."""
    known = means.journal.by_id(means.workspace, [each.id for each in gathered.seen])
    return gathered._replace(
        seen=tuple(each for each in gathered.seen if each.id not in known)
    )


def finish(means: Means, crew: str, warn: Callable[[str], None]) -> list[Applied]:
    """Finish what an earlier run, or an approval, was killed in."""
    done: list[Applied] = []
    for each in open_plans(means, crew):
        try:
            if plan_in(each).claim:
                done.append(_done(means, each, warn))
        except PlanDamagedError as error:
            warn(f"{error}. {error.hint}")
    return done


def _done(means: Means, proposal: Proposal, warn: Callable[[str], None]) -> Applied:
    done = apply(means, proposal)
    for error in done.failures:
        told = how_far(plan_in(proposal), len(done.placed) + len(done.archived))
        again = "is not done yet, and is tried again"
        warn(f"{proposal.id} {again} ({told}): {error}")
    for trouble in done.left:
        warn(trouble)
    return done


def _sorted(means: Means, items: Iterable[Item]) -> Sorted:
    by_entry = {entry_id(each): each for each in items}
    known = means.journal.by_id(means.workspace, by_entry)
    again = tuple(by_entry[each].id for each in known)
    new = [item for entry, item in by_entry.items() if entry not in known]
    # What each says was looked at; how it would stand in files is, all at once.
    if not _refusal(means, *new):
        return Sorted(tuple(new), again, (), ())
    good: list[Item] = []
    refused: list[str] = []
    dropped: list[Dropped] = []
    for item in new:
        if rules := _refusal(means, item):
            refs = tuple(each.ref for each in item.evidence)
            refused.append(item.id)
            dropped.append(Dropped("", f"it looks like {rules}", refs))
        else:
            good.append(item)
    return Sorted(tuple(good), again, tuple(refused), tuple(dropped))


def _refusal(means: Means, *items: Item) -> str:
    """Return the rules that refuse what *items* would add to files; "" for none."""
    text = "\n".join(map(addition, items))
    found = screened("", text, means.pen.scan).blocking
    return ", ".join(sorted({each.rule for each in found}))


def _recorded(
    means: Means,
    asked: Asked,
    made: Plan,
    files: Mapping[str, File],
    said: tuple[Gathered, Sorted, Sequence[Sequence[Placed]]],
    keep: Keep,
) -> tuple[Proposal | None, list[str | None]]:
    """Record the plan, if it does anything, together with how far was read.

    Each contradiction is recorded as well, under any policy; return their ids.
    """
    gathered, found, contested = said
    in_plan = {each.id for each in made.seen}
    tell_seen(means, [each for each in gathered.seen if each.id not in in_plan])
    with means.journal.transaction():
        proposal = _proposed(means, asked, made, files) if made.does else None
        names: list[str | None] = [
            propose(means, asked.crew, sides) for sides in contested
        ]
        keep(gathered, _outcome(asked, made, found))
    return proposal, names


def _proposed(
    means: Means, asked: Asked, made: Plan, files: Mapping[str, File]
) -> Proposal:
    claim = Claim(BY) if asked.policy == AUTO else None
    evidence = [
        each.ref
        for placed in made.placed
        for each in placed.item.evidence
        if each.source == "journal"
    ]
    draft = Draft(
        KIND,
        "crew",
        asked.crew,
        title_of(made),
        body_of(made, files, claim),
        [*dict.fromkeys(evidence)],
    )
    new_id = ids.new("p", means.randomness)
    proposal = Proposals(means.journal.db).add(
        means.workspace, new_id, draft, by=BY, at=means.now
    )
    if claim is None:
        told = waits(
            new_id, asked.crew, draft.title, len(made.placed), len(made.archives)
        )
        means.journal.append(
            means.workspace, [told], now=means.now, randomness=means.randomness
        )
    return proposal


def _outcome(asked: Asked, made: Plan, found: Sorted) -> Outcome:
    placed = tuple(each.item.id for each in made.placed)
    is_auto = asked.policy == AUTO
    return Outcome(
        applied=(*found.known, *(placed if is_auto else ())),
        proposed=(
            *(() if is_auto else placed),
            *(each.id for each in made.contested),
        ),
        rejected=found.refused,
        waiting=tuple(each.id for each in made.waiting),
    )


def _report(
    asked: Asked,
    gathered: Gathered,
    found: Sorted,
    made: Plan,
    done: Sequence[Applied],
    pins: Pinned,
) -> Crew:
    planned = [kept(each) for each in made.placed]
    learned = [kept(each) for one in done for each in one.placed]
    is_auto = asked.policy == AUTO
    archived = [name for one in done for name in one.archived]
    old = [each.ref for each in made.archives]
    paths = [ref for one in done for ref in one.versions]
    if asked.dry_run:
        archived = old if is_auto else []
        paths = [each.ref for some in (made.edits, made.seen) for each in some]
        learned = planned if is_auto else []
    if pins.added or pins.removed:
        paths.append(f"crew:{asked.crew}/pins.md")
    return Crew(
        crew=asked.crew,
        policy=asked.policy,
        read=gathered.read,
        proposal=None,
        learned=learned,
        proposed=[] if is_auto else planned,
        contradictions=[],
        waiting=[*made.waiting],
        dropped=[
            each
            for each in (*gathered.dropped, *found.dropped)
            if not each.reason.startswith(IN_PROPOSAL)
        ],
        open=gathered.waiting,
        archived=archived,
        seen_again=[met_again(each) for each in gathered.seen],
        to_archive=[] if is_auto else old,
        pins=pins,
        renewed=[],
        paths=sorted({*paths}),
        versions=_before(done, pins, f"crew:{asked.crew}/pins.md"),
    )


def _before(
    done: Sequence[Applied], pins: Pinned, pinned: str
) -> dict[str, str | None]:
    """Return the version of each file that was changed from before it was."""
    found: dict[str, str | None] = {}
    for one in done:
        for ref, before in one.before.items():
            found.setdefault(ref, before)
    if pins.version:
        found.setdefault(pinned, pins.before)
    return found
