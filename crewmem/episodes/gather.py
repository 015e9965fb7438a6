"""Gathering what is known of the entries that may answer, for `scoring`."""

from __future__ import annotations

from crewmem.episodes.context import REACH, WORTH, shortness
from crewmem.episodes.features import Entry
from crewmem.episodes.importance import NEUTRAL
from crewmem.episodes.passages import LONGER, PASSAGE, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from crewmem.episodes.passages import Places
    from crewmem.episodes.store import Episodes
    from crewmem.episodes.words_store import Sides, Text, Words
    from crewmem.retrieval.terms import Term

    Stems = Callable[[str], Sequence[str]]
    """The tokenizer of the full text, of which the stems are wanted alone."""

ALONE: Sides = ([], [])
"""The sides of what leans on nothing."""


class Gatherer:
    """Gathers entries with their neighbours; what it has read it keeps.

    For a batch of questions: most neighbours of one are those of another.
    """

    def __init__(self, words: Words, episodes: Episodes, stems: Stems) -> None:
        """Gather what *words* has; *stems* is how its full text is cut."""
        self._words, self._episodes, self._stems = words, episodes, stems
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
    ) -> list[Entry]:
        """Return what is known of *offered*, and of those around them.

        Args:
            offered: What `around` returned.
            terms: Of the question, as they are counted.
            cosines: Of those that have a vector.
        """
        sides = {seq: self._sides[seq] for seq in offered}
        near = {each for pair in sides.values() for side in pair for each in side}
        self._weigh(offered)
        looked = _Looked(terms)
        return [
            self._entry(seq, looked, cosines.get(seq), sides.get(seq, ALONE))
            for seq in sorted({*offered, *near})
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
        self._importance |= self._episodes.importance(lacking)

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
        self, seq: int, looked: _Looked, cosine: float | None, sides: Sides
    ) -> Entry:
        (_, _, actor, session, at, asks), stems = self._known[seq]
        found, often = looked.counted(stems)
        return Entry(  # by place, as it is defined: there are hundreds
            seq,
            len(stems),
            often,
            found if len(stems) > LONGER * PASSAGE else (),
            cosine,
            actor,
            session,
            at,
            *sides,
            bool(asks),
            self._importance.get(seq, NEUTRAL),
        )


class _Looked:
    """Looks for the terms of a question in entries, of which most hold none."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._nothing: tuple[Places, list[float]] = (
            ((),) * len(terms),
            [0.0] * len(terms),
        )
        self._stems = {stem for term in terms for stem in term.stems}
        self._has_prefix = any(term.prefix for term in terms)

    def counted(self, stems: Sequence[str]) -> tuple[Places, list[float]]:
        """Return where in *stems* each term stands, and how often that is."""
        if not self._has_prefix and self._stems.isdisjoint(stems):
            return self._nothing
        found = places(stems, self._terms)
        return found, [float(len(each)) for each in found]
