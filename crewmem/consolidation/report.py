"""What a run comes to, for people and programs. Pure."""

from __future__ import annotations

from crewmem.consolidation.events import named
from crewmem.consolidation.wording import entry_id, seen, shown
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Dropped
    from crewmem.consolidation.pins import Pinned
    from crewmem.consolidation.plan import Placed, Waiting
    from crewmem.consolidation.sighting import Sighting


class Kept(NamedTuple):
    """Something that is kept in memory, or would be.

    Attributes:
        id: Of the item: the same text of the same agent has the same.
        kind: observation or rule.
        agent: Whose it is; "" for the crew's.
        text: What it says; of a rule its title.
        file: Where it stands.
        entry: The entry of the journal that leads to what it rests on.
        confidence: How sure it is, from 0 to 1.
        score: What it was let through by, from 0 to 1.
        seen: When it was seen, and by whom.
        evidence: What says it: entries by id, lines as file:line@hash.
    """

    id: str
    kind: str
    agent: str
    text: str
    file: str
    entry: str
    confidence: float
    score: float
    seen: str
    evidence: list[str]


class SeenAgain(NamedTuple):
    """Something that was learned before, and was seen again: its line says so.

    Attributes:
        text: What was seen.
        file: Where it stands.
        entry: The entry of the journal that its line leads to.
        days: On which it was seen, as 2026-04-14.
        evidence: What says it: entries by id, lines as file:line@hash.
    """

    text: str
    file: str
    entry: str
    days: list[str]
    evidence: list[str]


class Contested(NamedTuple):
    """A contradiction, which a person settles.

    Attributes:
        proposal: The id of the proposal that it waits in; null in a dry run.
        sides: What was noted: one thing, or several that contradict each other.
        against: What says otherwise: places, with what stands there.
        file: Where the first side would go.
        seen: When that was seen, and by whom.
    """

    proposal: str | None
    sides: list[str]
    against: list[str]
    file: str
    seen: str


class Crew(NamedTuple):
    """What became of one crew.

    Attributes:
        crew: Its name.
        policy: auto or review.
        read: How many notes, entries and lessons were new.
        proposal: The plan that was made; null if there was nothing to do.
        learned: What is kept now.
        proposed: What waits for a person now.
        seen_again: What was learned before, and was seen again.
        contradictions: What contradicts something, and waits for a person from now on.
        waiting: What is worth keeping, and is not kept yet.
        dropped: What was left out, and why.
        open: How many observations have not recurred yet, or fell short.
        archived: Daily notes that were put away, as they are called now.
        to_archive: Those that wait for a person to say so.
        pins: What became of pins.md.
        renewed: Proposals that wait, made anew for their files have changed.
        paths: The files that were changed.
        versions: Of files that were changed, the version before; null for none.
    """

    crew: str
    policy: str
    read: int
    proposal: str | None
    learned: list[Kept]
    proposed: list[Kept]
    seen_again: list[SeenAgain]
    contradictions: list[Contested]
    waiting: list[Waiting]
    dropped: list[Dropped]
    open: int
    archived: list[str]
    to_archive: list[str]
    pins: Pinned
    renewed: list[str]
    paths: list[str]
    versions: dict[str, str | None] = {}  # noqa: RUF012 - nobody adds to it

    @property
    def is_news(self) -> bool:
        """Whether anything was changed, or is to be decided."""
        found = (self.proposal, self.learned, self.archived, self.paths)
        return bool(any(found) or self.contradictions)


class Run(NamedTuple):
    """What a run over crews comes to.

    Attributes:
        status: ok, nothing-new, failed or skipped-locked.
        dry_run: Whether all of this is only what would be.
        crews: What became of each crew.
        skipped: Agents that were left out, for their memory is off.
    """

    status: str
    dry_run: bool
    crews: list[Crew]
    skipped: list[str]

    @property
    def counts(self) -> dict[str, int]:
        """How much of each there was, in all crews."""
        return {
            "crews": len(self.crews),
            "read": sum(each.read for each in self.crews),
            "learned": sum(len(each.learned) for each in self.crews),
            "proposed": sum(len(each.proposed) for each in self.crews),
            "seen_again": sum(len(each.seen_again) for each in self.crews),
            "contradictions": sum(len(each.contradictions) for each in self.crews),
            "waiting": sum(len(each.waiting) for each in self.crews),
            "dropped": sum(len(each.dropped) for each in self.crews),
            "open": sum(each.open for each in self.crews),
            "archived": sum(len(each.archived) for each in self.crews),
            "pinned": sum(len(each.pins.added) for each in self.crews),
            "unpinned": sum(len(each.pins.removed) for each in self.crews),
        }


def kept(placed: Placed) -> Kept:
    """Return what is told of something that was *placed*."""
    item = placed.item
    return Kept(
        id=item.id,
        kind=item.kind,
        agent=item.agent,
        text=shown(item),
        file=placed.ref,
        entry=entry_id(item),
        confidence=round(item.confidence, 4),
        score=round(item.score.total, 4),
        seen=seen(item),
        evidence=[named(each) for each in item.evidence],
    )


def met_again(sighting: Sighting) -> SeenAgain:
    """Return what is told of something that was seen again."""
    return SeenAgain(
        text=sighting.text,
        file=sighting.ref,
        entry=sighting.entry,
        days=[*sighting.days],
        evidence=[named(each) for each in sighting.evidence],
    )


def contested(sides: Sequence[Placed], proposal: str | None) -> Contested:
    """Return what is told of a contradiction."""
    own = {each.ref for side in sides for each in side.item.evidence}
    against = (each for side in sides for each in side.against if each.ref not in own)
    return Contested(
        proposal=proposal,
        sides=[shown(each.item) for each in sides],
        against=[*dict.fromkeys(each.said for each in against)],
        file=sides[0].ref,
        seen=seen(sides[0].item),
    )
