"""From what is new of a crew to what is worth keeping; nothing is written yet.

The order of steps: read, compare, leave out what is poison, judge. `keep` writes down
how far was read once it is decided what becomes of the items.
"""

from __future__ import annotations

from crewmem import times
from crewmem.consolidation import candidate_store, inputs_store
from crewmem.consolidation.candidate import APPLIED, OPEN, REJECTED, Candidate
from crewmem.consolidation.draw import draw
from crewmem.consolidation.frame import Frames
from crewmem.consolidation.groups import groups, joined, lasting, number
from crewmem.consolidation.inputs import inputs
from crewmem.consolidation.item import Gathered, Settled
from crewmem.consolidation.judge import Judge, Judged, recalls_of
from crewmem.consolidation.keep import Kept, Waits
from crewmem.consolidation.leaders import OPEN_DAYS
from crewmem.consolidation.normal import Reader
from crewmem.consolidation.proposed import KIND
from crewmem.consolidation.proposed import proposed as plan_of
from crewmem.consolidation.sighting import may_lead_to
from crewmem.consolidation.sources import Asked
from crewmem.consolidation.targets import Targets, in_files, proposed, settled
from crewmem.proposals import proposal
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.consolidation.draw import Drawn
    from crewmem.consolidation.groups import Group, Grouping
    from crewmem.consolidation.inputs import Inputs
    from crewmem.consolidation.item import Item
    from crewmem.consolidation.sighting import Sighting
    from crewmem.consolidation.sources import Sources
    from crewmem.consolidation.targets import Said

SETTLED_MOST = 500
"""Old notes that one run puts away: a first one after years takes its time, and the
next ones go on."""

SHOWN = 5
"""Places that a notice names."""


def gather(
    sources: Sources,
    crew: str,
    *,
    agent: str = "",
    since: datetime | None = None,
    now: datetime,
) -> Gathered:
    """Read what is new of *crew*, and decide what of it is worth keeping.

    Args:
        sources: What it is read with, and where.
        crew: Its name.
        agent: The only agent whose notes and entries are read; "" for all.
        since: Read again what is not older; it was read before, and counts once.
        now: The time.
    """
    today = times.day(now, sources.zone).isoformat()
    asked = Asked(crew, agent, since, now, today)
    reader = Reader(sources.stems)
    read = inputs(sources, asked, reader)
    found, drawn, judged = _weighed(sources, asked, read, reader)
    items = _best([*drawn.items, *(each.item for each in judged if each.item)])
    waits = _waits(sources, asked, found.groups, judged)
    held = {piece.ref for each in waits for piece in each.pieces}
    waits += [Waits(_drawn(each, asked), (), each) for each in drawn.items]
    return Gathered(
        items=items,
        waiting=sum(each.item is None and each.is_open for each in waits),
        dropped=(
            *drawn.dropped,
            *(each.dropped for each in judged if each.dropped),
        ),
        notices=(
            *read.troubles,
            *_poison(found.poison),
            *filter(None, (found.notice,)),
            *drawn.notices,
        ),
        read=read.read,
        settled=_settled(sources, asked, read, held),
        seen=_seen(judged),
        marks=Kept(sources.workspace, crew, today, read.marks, read.held, waits),
    )


# What is worth keeping


def _weighed(
    sources: Sources, asked: Asked, read: Inputs, reader: Reader
) -> tuple[Grouping, Drawn, list[Judged]]:
    """Return what says the same, what a model drew, and what becomes of all of it."""
    done = candidate_store.candidates(
        sources.db, sources.workspace, asked.crew, APPLIED, REJECTED
    )
    judge = Judge(sources, asked, read.entries, recalls_of(sources, asked), len(done))
    frames = Frames(reader.stem)
    found = _grouped(sources, read, judge, frames, asked.today)
    recurring = [each for each in found.groups if each.recurs]
    once = [each for each in found.groups if not each.recurs and each.is_new]
    is_asked = recurring or once or (sources.model and read.told)
    said = _said(sources, asked, done, reader) if is_asked else ()
    targets = Targets(said, frames.relation)
    drawn = draw(sources, asked, read.told, reader, targets)
    drawn_from = [{each.ref for each in item.evidence} for item in drawn.items]
    judged = [judge.judged(each, targets, drawn_from) for each in recurring]
    if targets.has_lines:
        seen = (judge.seen_again(each, targets) for each in once)
        judged += [each for each in seen if each]
    return found, drawn, judged


def _grouped(
    sources: Sources, read: Inputs, judge: Judge, frames: Frames, today: str
) -> Grouping:
    """Return what says the same, in whatever words."""
    found = groups(
        read.pieces,
        today,
        scan=sources.scan,
        may_be_kept=judge.may_be_kept,
        relate=frames.relation,
    )
    if sources.embed:
        found = joined(found, today, sources.embed, frames)
    return found


def _said(
    sources: Sources, asked: Asked, done: Sequence[Candidate], reader: Reader
) -> Iterator[Said]:
    """Yield what is said already, waits to be, or is not to be said again."""
    yield from settled(done, reader)
    yield from _proposed(sources, asked, reader)
    found = [
        each
        for place in sources.places
        for each in in_files(place, reader, sources.limit)
    ]
    yield from _known(sources, found)


def _known(sources: Sources, found: Sequence[Said]) -> Iterator[Said]:
    """Yield what files say, with the lines of ours as the journal knows them.

    A line that leads to an entry of somebody else is none.
    """
    lines = [each.line for each in found if each.line]
    rules = {each.entry for each in lines if each.is_rule}
    db, workspace = sources.db, sources.workspace
    known = inputs_store.learned(db, workspace, {each.entry for each in lines})
    told = inputs_store.told_of(db, workspace, rules) if rules else {}
    for each in found:
        line = each.line
        if (
            line
            and line.entry in known
            and not may_lead_to(line.ref, *known[line.entry])
        ):
            line = None
        elif line and line.entry in told:
            line = line._replace(sources=line.sources | told[line.entry])
        yield each._replace(line=line)


def _proposed(sources: Sources, asked: Asked, reader: Reader) -> Iterator[Said]:
    """Yield what waits in proposals."""
    db, workspace, crew = sources.db, sources.workspace, asked.crew
    waiting = Proposals(db).of(workspace, status=proposal.OPEN, kind=KIND)
    items = [
        (each.id, part.placed.item)
        for each in waiting
        if each.crew == crew
        for part in plan_of(each.body).parts
        if part.placed
    ]
    yield from proposed(items, reader)


def _best(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return *items*, the best first; of those that say the same the best."""
    order = sorted(items, key=lambda each: (-each.score.total, each.id))
    return tuple({each.id: each for each in reversed(order)}.values())[::-1]


# What waits


def _waits(
    sources: Sources, asked: Asked, found: Sequence[Group], judged: Sequence[Judged]
) -> list[Waits]:
    """Return what is kept for later runs: what may recur, and what may be kept."""
    by_group = {id(each.group): each for each in judged}
    lasts = lasting(
        found, asked.today, {id(each.group) for each in judged if each.item}
    )
    kept: dict[str, Waits] = {}
    for group in found:
        verdict = by_group.get(id(group))
        if id(group) not in lasts or (verdict and verdict.is_done):
            continue
        item = verdict.item if verdict else None
        candidate = _candidate(sources, asked, group, item)
        is_open = group.is_open(asked.today) and not (verdict and verdict.dropped)
        against = [each.place for each in group.against]
        kept[candidate.id] = Waits(candidate, group.pieces, item, against, is_open)
    return [*kept.values()]


def _seen(judged: Sequence[Judged]) -> tuple[Sighting, ...]:
    """Return what was seen again, each line of ours once, in the order of files."""
    found: dict[tuple[str, str], Sighting] = {}
    for each in judged:
        if each.sighting:
            whose = each.sighting.ref, each.sighting.entry
            known = found.get(whose)
            found[whose] = known.and_more(each.sighting) if known else each.sighting
    return tuple(found[whose] for whose in sorted(found))


def _candidate(
    sources: Sources, asked: Asked, group: Group, item: Item | None
) -> Candidate:
    return Candidate(
        item.id if item else group.item_id(sources.workspace, asked.crew),
        group.owner,
        group.item_kind,
        group.pieces[0].text,
        group.days[0],
        group.days[-1],
        len(group.pieces),
        OPEN,
        times.to_text(asked.now),
    )


def _drawn(item: Item, asked: Asked) -> Candidate:
    """Return a rule that a model drew as it is kept: it never waits to come again."""
    days, at = item.days, times.to_text(asked.now)
    told = (item.id, item.agent, item.kind, item.title, days[0], days[-1])
    return Candidate(*told, len(item.evidence), OPEN, at)


def _settled(
    sources: Sources, asked: Asked, read: Inputs, held: set[str]
) -> tuple[Settled, ...]:
    """Return the old notes of which nothing waits, the oldest first, and not too many.

    Those that a person was asked about, and has not agreed to, are none of them.
    """
    today = number(asked.today)
    old = [
        Settled(ref, note.sha256, note.day)
        for ref, note in read.notes
        if note.day
        and note.is_whole
        and "/daily/archive/" not in ref
        and today - number(note.day) > OPEN_DAYS
        and ref not in held
    ]
    if len(old) > SETTLED_MOST:
        known = _not_agreed(sources, asked.crew)
        old = [each for each in old if each not in known]
    old.sort(key=lambda each: (each.day, each.ref))
    return tuple(old[:SETTLED_MOST])


def _not_agreed(sources: Sources, crew: str) -> frozenset[Settled]:
    """Return the notes that proposals would put away which nobody approved."""
    found = Proposals(sources.db).of(sources.workspace, kind=KIND)
    return frozenset(
        note
        for each in found
        if each.crew == crew and each.status != proposal.APPROVED
        for part in plan_of(each.body).parts
        for note in part.archives
    )


# What a person should know


def _poison(found: Mapping[str, str]) -> Iterator[str]:
    if not found:
        return
    named = [f"{place} ({rule})" for place, rule in sorted(found.items())]
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    is_one = len(named) == 1
    what = "1 place looks" if is_one else f"{len(named):,} places look"
    was = "was" if is_one else "were"
    yield (
        f"{what} like hidden instructions or a secret and {was} left out: "
        f"{', '.join(named[:SHOWN])}{more}"
    )
