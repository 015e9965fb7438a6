"""What of all that recurs is worth keeping: items, and why the rest is none."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.consolidation import inputs_store
from crewmem.consolidation.asking import asks_too_much
from crewmem.consolidation.entries import PINNED, TROUBLES
from crewmem.consolidation.groups import number
from crewmem.consolidation.item import RULE, Dropped, Item
from crewmem.consolidation.leaders import TOLD
from crewmem.consolidation.piece import ENTRY, parted
from crewmem.consolidation.rule import extracted
from crewmem.consolidation.sighting import Sighting
from crewmem.consolidation.signals import (
    Counted,
    confidence,
    passes,
    relevance,
    score,
)
from crewmem.consolidation.wording import LINE_MOST, one_line
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crewmem.consolidation.entries import Told
    from crewmem.consolidation.groups import Group
    from crewmem.consolidation.item import Score
    from crewmem.consolidation.piece import Piece
    from crewmem.consolidation.sources import Asked, Sources
    from crewmem.consolidation.targets import Targets, Verdict

EVIDENCE_MOST = 20
"""Places that an item names: its first, and the latest."""

RECALLED = timedelta(days=30)
"""How long recalls are kept, and count."""


class Judged(NamedTuple):
    """What became of a group that recurs.

    Attributes:
        item: What is worth keeping; None if it is not.
        dropped: Why it is not, if it never will be.
        is_done: Whether nothing waits for it any more.
        sighting: That it was seen again, where a line of ours says it already.
    """

    group: Group
    item: Item | None = None
    dropped: Dropped | None = None
    is_done: bool = False
    sighting: Sighting | None = None


class Judge:
    """Judges the groups of one run."""

    def __init__(
        self,
        sources: Sources,
        asked: Asked,
        told: Mapping[str, Told],
        recalls: Recalls,
        consolidated: int,
    ) -> None:
        """Judge what *sources* gave.

        Args:
            sources: Where it is from.
            asked: What was asked for.
            told: The entries of it, by their ids.
            recalls: What was asked lately.
            consolidated: How many things other memories keep.
        """
        self._sources, self._asked, self._most = sources, asked, consolidated
        self._told, self._recalls = told, recalls

    def may_be_kept(self, group: Group) -> bool:
        """Tell whether *group* could be worth keeping, whatever is said already."""
        return group.recurs and passes(self._score(group, self._most))

    def judged(
        self, group: Group, targets: Targets, drawn_from: Collection[set[str]] = ()
    ) -> Judged:
        """Say what becomes of *group*, which recurs, beside what *targets* say.

        Entries that a model drew a rule from, each of *drawn_from*, make no other.
        """
        title, text = "", group.pieces[0].text
        if group.item_kind == RULE:
            troubles = self._troubles(group)
            ids = {each.id for each in troubles}
            if len(ids) < 2:  # noqa: PLR2004 - it recurs
                return Judged(group)
            if any(ids <= drawn for drawn in drawn_from):
                return Judged(group, is_done=True)
            title, text = extracted(troubles, [each.day for each in group.pieces])
        known_as = group.item_id(self._sources.workspace, self._asked.crew)
        refs = tuple(each.place for each in group.pieces)
        verdict = targets.verdict(known_as, group.owner, group.pieces[0].form)
        if verdict.why:
            sighting = self._sighting(group, verdict)
            dropped = None if sighting else Dropped(title or text, verdict.why, refs)
            return Judged(group, None, dropped, not verdict.waits, sighting)
        total = self._score(group, verdict.consolidated)
        if not passes(total):
            return Judged(group)
        shown, why = self._unfit(title, text)
        if why:
            return Judged(group, dropped=Dropped(shown, why, refs), is_done=True)
        against = (*(each.place for each in group.against), *verdict.against)
        item = Item(
            known_as,
            group.item_kind,
            self._asked.crew,
            group.owner,
            title,
            text,
            confidence(len(group.days), len({e.origin for e in group.pieces})),
            total,
            tuple(each.evidence() for each in _named(group.pieces)),
            tuple(dict.fromkeys(against))[:TOLD],
        )
        return Judged(group, item)

    def _troubles(self, group: Group) -> list[Told]:
        """Return the entries of *group* that a rule may be drawn from."""
        told = (self._told[e.ref] for e in group.pieces if e.ref in self._told)
        return [each for each in told if each.entry_type in TROUBLES]

    def seen_again(self, group: Group, targets: Targets) -> Judged | None:
        """Say that *group*, which has not recurred, says what was learned."""
        known_as = group.item_id(self._sources.workspace, self._asked.crew)
        verdict = targets.verdict(known_as, group.owner, group.pieces[0].form)
        sighting = self._sighting(group, verdict)
        return Judged(group, is_done=True, sighting=sighting) if sighting else None

    def _sighting(self, group: Group, verdict: Verdict) -> Sighting | None:
        """Return what of *group* is news to the line of ours that says it already.

        In the words of that line: who reads it may not read what an agent noted.
        """
        line = verdict.line
        if line is None:
            return None
        places = (each.evidence() for each in group.pieces)
        new = [each for each in places if line.lacks(each)][-EVIDENCE_MOST:]
        text = one_line(verdict.said, LINE_MOST)
        said = (text, group.pieces[0].text)
        if not new or any(gravest(self._sources.scan(each)) for each in said):
            return None
        return Sighting(line.ref, line.entry, text, tuple(new), line.counted)

    def _unfit(self, title: str, text: str) -> tuple[str, str]:
        """Return why what *text* says is left to a person, and what may be shown."""
        whole = f"{title}\n{text}".strip()
        if finding := gravest(self._sources.scan(whole)):
            return "", f"the scanner found {finding.category} in it ({finding.rule})"
        return title or text, asks_too_much(whole)

    def _score(self, group: Group, consolidated: int) -> Score:
        pieces, first = group.pieces, group.pieces[0]
        is_pinned = any(
            each.ref in self._told and self._told[each.ref].priority in PINNED
            for each in pieces
        )
        questions = self._recalls.questions(pieces)
        counted = Counted(
            occurrences=len(pieces),
            recalls=len(questions),
            days=len(group.days),
            sources=len({each.origin for each in pieces}),
            questions=len({*questions}),
            age_days=number(self._asked.today) - number(group.days[-1]),
            consolidated=consolidated,
            kinds=len({(each.source, each.kind) for each in pieces}),
        )
        found = relevance(first.text, first.form, is_pinned=is_pinned)
        return score(found, counted)


class Recalls:
    """What was asked lately, by what was found: a file's lines, or an entry."""

    def __init__(self, asked: Iterable[tuple[str, list[str]]]) -> None:
        self._found: dict[str, list[tuple[int, int, str]]] = {}
        for query, ids in asked:
            said = " ".join(query.lower().split())
            for each in ids:
                ref, first, last = parted(each)
                self._found.setdefault(ref, []).append((first, last, said))

    def questions(self, pieces: Sequence[Piece]) -> list[str]:
        """Return the questions that found one of *pieces*, as often as they did."""
        return [
            said
            for each in pieces
            for first, last, said in self._found.get(each.ref, ())
            if each.source == ENTRY or (first <= each.last and each.first <= last)
        ]


def recalls_of(sources: Sources, asked: Asked) -> Recalls:
    """Return what was asked in the last 30 days."""
    since = times.before(asked.now, RECALLED)
    return Recalls(inputs_store.recalls(sources.db, sources.workspace, since))


def _named(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the first of *pieces* and the latest, as many as are named."""
    if len(pieces) <= EVIDENCE_MOST:
        return [*pieces]
    return [pieces[0], *pieces[1 - EVIDENCE_MOST :]]
