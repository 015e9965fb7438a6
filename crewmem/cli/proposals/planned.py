"""Plans for files, as the commands on proposals show and decide them."""

from __future__ import annotations

from crewmem.cli.proposals.shown import proposal_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.consolidation.plan import Placed
    from crewmem.proposals.explain import Case, Change, Ground
    from crewmem.proposals.proposal import Proposal
    from crewmem.proposals.review import Decided

SPOTS = 6
"""Places that are shown of a part; JSON has all of them."""

SIGNS = {"+": "good", "-": "bad", "@": "dim"}


def is_plan(proposal: Proposal) -> bool:
    """Tell whether *proposal* changes files."""
    from crewmem.proposals.proposal import CONSOLIDATION

    return proposal.kind == CONSOLIDATION


def approve_plan(
    app: App, proposal: Proposal, reason: str, only: tuple[int, ...]
) -> Decided:
    """Do what *proposal* says, or the parts *only*."""
    from crewmem.cli.consolidating.means import alone, means
    from crewmem.consolidation.apply import indexed
    from crewmem.consolidation.contest import left, refresh
    from crewmem.consolidation.proposed import Claim, plan_in
    from crewmem.consolidation.renew import renew
    from crewmem.consolidation.report import kept
    from crewmem.consolidation.review import approve
    from crewmem.proposals.review import Decided

    with alone(app):
        tools = means(app)
        done = approve(tools, proposal.id, Claim(str(app.actor), reason, only))
        renew(tools, str(proposal.crew))
        refresh(tools, str(proposal.crew))
    for trouble in (*done.left, *indexed(tools, done)):
        app.out.warn(trouble)
    for each in left(tools, plan_in(done.proposal)):
        app.out.warn(f"{each.said} says otherwise still: change it there yourself")
    told = [kept(each) for each in done.placed]
    return Decided(done.proposal, None, told, [*done.archived], done.before)


def reject_plan(app: App, proposal: Proposal, reason: str) -> Decided:
    """Do nothing of *proposal*, now or ever."""
    from crewmem.cli.consolidating.means import alone, means
    from crewmem.consolidation.review import reject
    from crewmem.proposals.review import Decided

    with alone(app):
        return Decided(reject(means(app), proposal.id, str(app.actor), reason), None)


def change_of(app: App, proposal: Proposal) -> Change:
    """Return what approving *proposal* would change."""
    from crewmem.cli.consolidating.means import means
    from crewmem.consolidation.explain import change

    return change(means(app, dry_run=True), proposal)


def case_of(app: App, proposal: Proposal) -> Case:
    """Return why *proposal* waits, and what speaks for it."""
    from crewmem.cli.consolidating.means import means
    from crewmem.consolidation.explain import case

    return case(means(app, dry_run=True), proposal)


def plan_lines(app: App, proposal: Proposal) -> Iterator[Line]:
    """Yield everything that there is to know of a plan: its parts, by number."""
    from crewmem.consolidation.proposed import plan_in
    from crewmem.consolidation.wording import seen, shown

    head, *rest = proposal_lines(proposal, app.now)
    yield head
    plan = plan_in(proposal)
    chosen = {each.number for each in plan.chosen}
    for part in plan.parts:
        out = "" if part.number in chosen else "  (not chosen)"
        number = ("bold", f"{part.number:>4}")
        if part.placed:
            item = part.placed.item
            yield [number, f"  {shown(item)}", ("dim", out)]
            where = f"      to {part.placed.ref}, score {item.score.total:.2f}"
            yield [("dim", where)]
            yield [("dim", f"      {seen(item)}")]
            yield from _against_lines(part.placed)
        elif part.seen:
            said = ", ".join(f"{each.text} ({each.ref})" for each in part.seen)
            yield [number, f"  seen again: {said}"]
        else:
            days = len(part.archives)
            said = f"put away {days} daily note{'' if days == 1 else 's'}"
            yield [number, f"  {said} of {part.owner}", ("dim", out)]
    yield from rest


def _against_lines(placed: Placed) -> Iterator[Line]:
    for each in placed.against:
        how = "in place of  " if each.entry else "against  "
        yield [("dim", f"      {how}"), each.said]


def next_step(proposal: Proposal) -> str:
    """Say how *proposal*, which is open, is decided, or gone on with."""
    name = proposal.id
    if is_plan(proposal):
        from crewmem.consolidation.proposed import BY, proposed

        plan = proposed(proposal.body)
        if plan.claim and plan.claim.by == BY:
            return f"It is not done yet: crewmem consolidate run --crew {proposal.crew}"
        if plan.claim:
            return (
                f"{plan.claim.by} approved it, and it is not done yet: crewmem "
                f"proposals approve {name} goes on"
            )
        if plan.is_contest and len(plan.parts) > 1:
            return (
                f"Decide: crewmem proposals approve {name} --only 1 keeps the first "
                f"side, crewmem proposals reject {name} none of them"
            )
        if plan.is_contest:
            return (
                f"Decide: crewmem proposals approve {name} keeps it, crewmem proposals "
                f"reject {name} what stands"
            )
    return f"Decide: crewmem proposals approve|reject {name}"


def change_lines(found: Change) -> Iterator[Line]:
    """Yield how files would differ."""
    yield from ([(SIGNS.get(line[:1], ""), line)] for line in found.lines)


def stale(found: Change) -> list[str]:
    """Return the files that are not what the plan was made for any more."""
    return [each.file for each in found.files if each.is_stale]


def case_lines(found: Case) -> Iterator[Line]:
    """Yield what speaks for each part of a plan."""
    yield [("bold", found.proposal.id), f"  {found.proposal.title}"]
    yield f"  {found.why}"
    for part in found.parts:
        yield from _ground_lines(part)


def _ground_lines(part: Ground) -> Iterator[Line]:
    yield ""
    first, *more = part.adds.splitlines() or [""]
    yield [("bold", f"{part.number:>4}"), f"  {first}"]
    yield from (f"      {line}" for line in more)
    yield (
        [("dim", "      to "), part.file]
        if part.spots
        else [
            ("dim", "      put away, of "),
            part.file,
        ]
    )
    for place in part.against:
        yield [("dim", "      against  "), place]
    if part.signals:
        told = ", ".join(
            f"{name} {value:.2f}"
            for name, value in part.signals.items()
            if name != "total"
        )
        total = part.signals["total"]
        yield [("dim", "      score"), f" {total:.2f}", ("dim", f" ({told})")]
    for spot in part.spots[:SPOTS]:
        gone = "" if spot.stands else "  (it does not say so any more)"
        yield [
            ("dim", f"      {spot.day}  "),
            ("path", spot.ref),
            f"  {spot.quote}",
            ("warn", gone),
        ]
    if len(part.spots) > SPOTS:
        yield [("dim", f"      … and {len(part.spots) - SPOTS} more")]


def decided_lines(done: Decided) -> Iterator[Line]:
    """Yield what was done of a plan."""
    for each in done.kept:
        yield [("path", each.file), ("good", "  + "), each.text]
    for name in done.archived:
        yield [("dim", "put away  "), name]
    if not (done.kept or done.archived):
        yield [("bold", done.proposal.id), f" is {done.proposal.status}."]
