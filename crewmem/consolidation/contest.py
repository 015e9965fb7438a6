"""What contradicts something: told to a person once, and kept until that is settled.

A contradiction is a proposal of its own, under any policy, and does not expire. Its
parts are the sides that were noted. Approved, one of them takes the place of the line
that consolidation once wrote; rejected, what stands stays. Where what it contradicts
is gone, however that came, it is withdrawn, and judged anew.
"""

from __future__ import annotations

from crewmem import ids, times
from crewmem.consolidation import candidate_store
from crewmem.consolidation.candidate import OPEN as CANDIDATE
from crewmem.consolidation.events import waits
from crewmem.consolidation.observation import bare
from crewmem.consolidation.piece import ENTRY, decoded, lines, parted, place_of
from crewmem.consolidation.plan import Against, Placed, targets
from crewmem.consolidation.proposed import BY, KIND, contest_of, plan_in
from crewmem.consolidation.renew import open_plans
from crewmem.consolidation.section import LEARNED, leads_to, section
from crewmem.consolidation.section import lines as lines_of
from crewmem.consolidation.standing import contents
from crewmem.consolidation.wording import (
    TITLE_MOST,
    addition,
    one_line,
    shown,
    without_seen,
)
from crewmem.errors.consolidation import PlanDamagedError, SectionDamagedError
from crewmem.files.screen import screened
from crewmem.proposals.proposal import REJECTED, Draft
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.consolidation.item import Item
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.proposed import Proposed
    from crewmem.proposals.proposal import Proposal

GONE = "what it contradicted is not said there any more: it is judged anew"
"""Why one is withdrawn."""

SIDE_MOST = 90
"""Characters of a side, where a contradiction is named in a line."""


def contests(means: Means, items: Sequence[Item]) -> list[tuple[Placed, ...]]:
    """Return the contradictions among *items*, each with its sides.

    Items that contradict each other are sides of one.
    """
    return [tuple(_placed(means, each) for each in some) for some in _together(items)]


def _together(items: Sequence[Item]) -> list[list[Item]]:
    """Put those of *items* together that contradict each other, in their order."""
    found: list[list[Item]] = []
    for item in items:
        met = [each for each in found if any(_are_sides(item, one) for one in each)]
        for each in met:
            found.remove(each)
        found.append([*(one for each in met for one in each), item])
    return found


def _are_sides(one: Item, other: Item) -> bool:
    return any(
        each.ref in a.contradicts
        for a, b in ((one, other), (other, one))
        for each in b.evidence
    )


def _placed(means: Means, item: Item) -> Placed:
    """Return where *item* would go: to the line of ours that it contradicts."""
    against = [_against(means, each) for each in item.contradicts]
    refs = targets(item, means.today)
    ours = {parted(each.ref)[0] for each in against if each.entry}
    ref = next((each for each in refs if each in ours), refs[0])
    kept = (
        each if parted(each.ref)[0] == ref else each._replace(entry="")
        for each in against
    )
    return Placed(item, ref, addition(item), tuple(kept))


def _against(means: Means, place: str) -> Against:
    """Return what stands at *place*, a file and its lines; of an entry its id."""
    ref, first, last = parted(place)
    if not first:
        return Against(place, "")
    content = means.file(ref).content or b""
    text = _said(decoded(content), first, last)
    if screened("", text, means.pen.scan).blocking:
        text = ""
    return Against(place, text, _entries(content).get(first, ""))


def _said(text: str, first: int, last: int) -> str:
    """Return what lines of *text* say, without when that was seen."""
    said = " ".join(bare(lines(text, first, last)).split())
    return one_line(without_seen(said), TITLE_MOST)


def _entries(content: bytes) -> dict[int, str]:
    """Return the entries of lines that consolidation wrote, by their numbers."""
    try:
        cut = section(content, LEARNED)
    except SectionDamagedError:
        return {}
    if cut is None:
        return {}
    first = decoded(cut.head).count("\n") + 1
    return {
        number: entry
        for number, line in enumerate(lines_of(cut.body), first)
        if (entry := leads_to(line))
    }


def title_of(sides: Sequence[Placed]) -> str:
    """Name a contradiction in a line."""
    said = [repr(one_line(shown(each.item), SIDE_MOST)) for each in sides]
    if len(said) == 1:
        said += [
            repr(one_line(each.text, SIDE_MOST)) if each.text else each.ref
            for each in sides[0].against[:1]
        ]
    return f"contradiction: {' against '.join(said[:2])}"


def propose(means: Means, crew: str, sides: Sequence[Placed]) -> str:
    """Record a contradiction; return its id. Call it inside a transaction.

    Where one waits of which they are sides as well, they are added to it: a person is
    asked one thing once. The journal is told no word of it: what an agent noted is that
    agent's to read.
    """
    if known := _waiting(means, crew, sides):
        return _joined(means, known, sides)
    files = means.files(each.ref for each in sides)
    rests = (one for each in sides for one in each.item.evidence)
    sources = dict.fromkeys(each.ref for each in rests if each.source == ENTRY)
    draft = Draft(
        KIND, "crew", crew, title_of(sides), contest_of(sides, files), [*sources]
    )
    name = ids.new("p", means.randomness)
    Proposals(means.journal.db).add(means.workspace, name, draft, by=BY, at=means.now)
    told = waits(name, crew, "a contradiction", len(sides), 0)
    means.journal.append(
        means.workspace, [told], now=means.now, randomness=means.randomness
    )
    return name


def _joined(
    means: Means, known: Sequence[tuple[Proposal, Proposed]], sides: Sequence[Placed]
) -> str:
    """Add *sides* to the first of those *known*, and close the others as part of it."""
    (first, _), *others = known
    every = [*(placed for _, old in known for placed in old.placed), *sides]
    both = tuple({each.item.id: each for each in every}.values())
    body = contest_of(both, means.files(each.ref for each in both))
    found = Proposals(means.journal.db)
    found.rewrite(first, body)
    for each, _ in others:
        reason = f"it is part of {first.id} now: a further side joins them"
        found.decide(each, REJECTED, by=BY, at=means.now, reason=reason, outcome=None)
    return first.id


def _open(means: Means, crew: str) -> Iterator[tuple[Proposal, Proposed]]:
    """Yield the contradictions of *crew* that wait, and nobody decides just now."""
    for each in open_plans(means, crew):
        try:
            found = plan_in(each)
        except PlanDamagedError:  # `finish` says so
            continue
        if found.is_contest and not found.claim:
            yield each, found


def _waiting(
    means: Means, crew: str, sides: Sequence[Placed]
) -> list[tuple[Proposal, Proposed]]:
    """Return the contradictions that wait of which *sides* are further ones."""
    return [
        (each, old)
        for each, old in _open(means, crew)
        if any(
            _are_sides(one.item, placed.item) for one in sides for placed in old.placed
        )
    ]


def left(means: Means, plan: Proposed) -> list[Against]:
    """Return what says otherwise still when *plan* is done, in memory files.

    It is a person's or an agent's own, or stands in a file of somebody else.
    """
    others = (
        _found(means, each)
        for placed in plan.placed
        for each in placed.against
        if not each.entry and parted(each.ref)[1] and "/daily/" not in each.ref
    )
    return [each for each in others if each]


def refresh(means: Means, crew: str) -> list[str]:
    """Look again at the contradictions of *crew* that wait; return which are withdrawn.

    Where lines have moved, they are followed.
    """
    gone = []
    for each, old in _open(means, crew):
        sides = [_followed(means, placed) for placed in old.placed]
        if all(side.against for side in sides):
            files = means.files(side.ref for side in sides)
            body = contest_of(sides, files)
            if body != dict(each.body):
                with means.journal.transaction():
                    Proposals(means.journal.db).rewrite(each, body)
        else:
            _withdraw(means, each, old)
            gone.append(each.id)
    return gone


def _followed(means: Means, placed: Placed) -> Placed:
    """Return *placed*, with what still says otherwise, and where."""
    found = [_found(means, each) for each in placed.against]
    return placed._replace(against=tuple(each for each in found if each))


def _found(means: Means, against: Against) -> Against | None:
    """Return *against* where it stands now; None if it does not."""
    ref, first, last = parted(against.ref)
    if not first:
        return against
    more = last - first
    for content in contents(means, ref):
        if against.entry:
            known = _entries(content).items()
            numbers = [at for at, entry in known if entry == against.entry]
        else:
            text = decoded(content)
            count = text.count("\n") + 1
            numbers = [
                at
                for at in (first, *range(1, count + 1))
                if not against.text or _said(text, at, at + more) == against.text
            ]
        if numbers:
            at = numbers[0]
            return against._replace(ref=place_of(ref, at, at + more))
    return None


def _withdraw(means: Means, proposal: Proposal, plan: Proposed) -> None:
    """Close *proposal*, and let what it held be judged by the next look."""
    db, where = means.journal.db, (means.workspace, str(proposal.crew))
    items = {each.item.id for each in plan.placed}
    at = times.to_text(means.now)
    with means.journal.transaction():
        again = [
            each._replace(status=CANDIDATE, changed_at=at)
            for each in candidate_store.candidates(db, *where)
            if each.id in items
        ]
        candidate_store.keep(db, *where, again)
        Proposals(db).decide(
            proposal, REJECTED, by=BY, at=means.now, reason=GONE, outcome=None
        )
