"""Gathering what is known of the entries that may answer, for `scoring`."""

from __future__ import annotations

from crewmem.hybrid.context import REACH, WORTH, shortness
from crewmem.hybrid.dates import tells_when
from crewmem.hybrid.features import Entry
from crewmem.hybrid.passages import LONGER, PASSAGE, places
from crewmem.hybrid.scoring import NEUTRAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from crewmem.hybrid.passages import Places
    from crewmem.hybrid.words import Sides, Text, Weights, Words
    from crewmem.retrieval.terms import Term

    Counted = tuple[Places, Sequence[float]]
    """Where the terms of a question stand in a long entry, and how often in any.

    () in a short one, and for never.
    """

    Stems = Callable[[str], Sequence[str]]
    """The tokenizer of the full text, of which the stems are wanted alone."""

ALONE: Sides = ([], [])
"""The sides of what leans on nothing."""


class Gatherer:
    """Gathers entries with their neighbours; what it has read it keeps.

    For a batch of questions: most neighbours of one are those of another.
    """

    def __init__(self, words: Words, weights: Weights, stems: Stems) -> None:
        """Gather what *words* has; *stems* is how its full text is cut."""
        self._words, self._weights, self._stems = words, weights, stems
        self._known: dict[int, tuple[Text, Sequence[str]]] = {}
        self._sides: dict[int, Sides] = {}
        self._importance: dict[int, float] = {}

    def around(self, found: Collection[int]) -> list[int]:
        """Return *found* and what stands next to them, as far as it may count."""
        self._look_around(found)
        sides = [self._sides[seq] for seq in found]
        near = {each for pair in sides for side in pair for each in side[:1]}
        self._look_around(near)  # most are known by now
        return sorted({*found, *near})

    def entries(
        self,
        offered: Sequence[int],
        terms: Sequence[Term],
        cosines: Mapping[int, float],
        *,
        asks_when: bool = False,
    ) -> list[Entry]:
        """Return what is known of *offered*, and of those around them.

        Args:
            offered: What `around` returned.
            terms: Of the question, as they are counted.
            cosines: Of those that have a vector.
            asks_when: Whether it is told of the offered ones if they name a time.
        """
        sides = {seq: self._sides[seq] for seq in offered}
        near = {each for pair in sides.values() for side in pair for each in side}
        self._weigh(offered)
        counted = _Looked(terms).counted
        found = [
            self._entry(
                seq, counted(self._known[seq][1]), cosines.get(seq), sides.get(seq)
            )
            for seq in sorted({*offered, *near})
        ]
        if not asks_when:
            return found
        return [
            each._replace(tells_when=tells_when(self._known[each.seq][0][1]))
            if each.seq in sides
            else each
            for each in found
        ]

    def _look_around(self, seqs: Iterable[int]) -> None:
        """Read *seqs* and what is around them.

        One more is asked for than counts: so it is known what is around the next ones.
        """
        lacking = [seq for seq in seqs if seq not in self._sides]
        if not lacking:
            return
        self._read(lacking)
        self._sides |= dict.fromkeys(lacking, ALONE)
        leaning = [seq for seq in lacking if self._leans(seq)]
        chains = self._words.beside(leaning, REACH + 1)
        self._read({each for pair in chains.values() for side in pair for each in side})
        for seq, (before, after) in chains.items():
            self._keep_sides(seq, before, after)
            if before:
                self._keep_sides(before[0], before[1:], [seq, *after])
            if after:
                self._keep_sides(after[0], [seq, *before], after[1:])

    def _read(self, seqs: Iterable[int]) -> None:
        lacking = [seq for seq in seqs if seq not in self._known]
        if not lacking:
            return
        for text in self._words.texts(lacking):
            self._known[text[0]] = text, self._stems(text[1])

    def _weigh(self, seqs: Iterable[int]) -> None:
        lacking = [seq for seq in seqs if seq not in self._importance]
        self._importance |= self._weights.importance(lacking)

    def _keep_sides(self, seq: int, before: list[int], after: list[int]) -> None:
        """Keep what stands around *seq*, if it is so short that it counts."""
        if self._leans(seq):
            self._sides[seq] = before[:REACH], after[:REACH]
        else:
            self._sides[seq] = ALONE

    def _leans(self, seq: int) -> bool:
        (_, _, _, session, _, _), stems = self._known[seq]
        return bool(session) and shortness(len(stems)) > WORTH / 10

    def _entry(
        self, seq: int, counted: Counted, cosine: float | None, sides: Sides | None
    ) -> Entry:
        (_, _, actor, session, at, asks), stems = self._known[seq]
        found, often = counted
        return tuple.__new__(  # by place, as it is defined: there are hundreds
            Entry,
            (
                seq,
                len(stems),
                often,
                found,
                cosine,
                actor,
                session,
                at,
                *(sides or ALONE),
                bool(asks),
                self._importance.get(seq, NEUTRAL),
                False,
            ),
        )


class _Looked:
    """Looks for the terms of a question in entries, of which most hold none."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._stems = {stem for term in terms for stem in term.stems}
        self._has_prefix = any(term.prefix for term in terms)
        self._is_plain = not self._has_prefix and all(
            len(term.stems) == 1 and term.weight for term in terms
        )

    def counted(self, stems: Sequence[str]) -> Counted:
        """Return where in *stems*, if it is long, each term stands, and how often."""
        if not self._has_prefix and self._stems.isdisjoint(stems):
            return (), ()
        is_long = len(stems) > LONGER * PASSAGE
        if self._is_plain and not is_long:
            return (), [float(stems.count(term.stems[0])) for term in self._terms]
        found = places(stems, self._terms)
        return found if is_long else (), [float(len(each)) for each in found]
