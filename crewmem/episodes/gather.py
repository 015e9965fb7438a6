"""Gathering what is known of the entries that may answer, for `scoring`."""

from __future__ import annotations

from typing import NamedTuple

from crewmem.episodes.context import REACH, WORTH, shortness
from crewmem.episodes.features import Entry
from crewmem.episodes.importance import NEUTRAL
from crewmem.episodes.passages import LONGER, PASSAGE, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crewmem.episodes.store import Episodes, Weight
    from crewmem.episodes.words_store import Text, Words
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize


class _Known(NamedTuple):
    """What of an entry is the same for all questions."""

    text: Text
    stems: tuple[str, ...]


class Gatherer:
    """Gathers entries with their neighbours; what it has read it keeps.

    For a batch of questions: most neighbours of one are those of another.
    """

    def __init__(self, words: Words, episodes: Episodes, tokenize: Tokenize) -> None:
        self._words, self._episodes, self._tokenize = words, episodes, tokenize
        self._known: dict[int, _Known] = {}
        self._beside: dict[int, tuple[list[int], list[int]]] = {}
        self._weights: dict[int, Weight] = {}

    def around(self, found: Collection[int]) -> list[int]:
        """Return *found* and what stands next to them, as far as it may count."""
        self._read(found)
        near = {each for seq in found for each in self._next_to(seq)}
        self._read(near)
        return sorted({*found, *near})

    def entries(
        self,
        offered: Sequence[int],
        terms: Sequence[Term],
        cosines: Mapping[int, float],
    ) -> list[Entry]:
        """Return what is known of *offered*, and of those around them.

        Args:
            terms: Of the question, as they are counted.
            cosines: Of those that have a vector.
        """
        beside = {seq: self._sides(seq) for seq in offered}
        near = {each for sides in beside.values() for side in sides for each in side}
        every = sorted({*offered, *near})
        self._read(every)
        self._weigh(offered)
        return [self._entry(seq, terms, cosines, beside) for seq in every]

    def summary(self, seq: int) -> str:
        """Return the summary of an entry that was gathered."""
        return self._known[seq].text.summary

    def _read(self, seqs: Iterable[int]) -> None:
        lacking = [seq for seq in seqs if seq not in self._known]
        for seq, text in self._words.texts(lacking).items():
            tokens = self._tokenize(f"{text.summary}\n{text.more}")
            self._known[seq] = _Known(text, tuple(stem for _, _, stem in tokens))

    def _weigh(self, seqs: Iterable[int]) -> None:
        lacking = [seq for seq in seqs if seq not in self._weights]
        self._weights |= self._episodes.weights(lacking)

    def _next_to(self, seq: int) -> list[int]:
        before, after = self._sides(seq)
        return [*before[:1], *after[:1]]

    def _sides(self, seq: int) -> tuple[list[int], list[int]]:
        """Return what stands before and after *seq*, if it is so short that it counts.

        Of a neighbour that was not read for its own sake nothing more is of use.
        """
        if seq not in self._beside:
            known = self._known[seq]
            leans = known.text.session and shortness(len(known.stems)) > WORTH / 10
            empty: tuple[list[int], list[int]] = ([], [])
            self._beside[seq] = self._words.beside(seq, REACH) if leans else empty
        return self._beside[seq]

    def _entry(
        self,
        seq: int,
        terms: Sequence[Term],
        cosines: Mapping[int, float],
        beside: Mapping[int, tuple[list[int], list[int]]],
    ) -> Entry:
        text, stems = self._known[seq]
        found = places(stems, terms)
        before, after = beside.get(seq, ((), ()))
        weight = self._weights.get(seq)
        return Entry(
            seq=seq,
            words=len(stems),
            frequencies=[float(len(each)) for each in found],
            places=found if len(stems) > LONGER * PASSAGE else (),
            cosine=cosines.get(seq),
            actor=text.actor,
            session=text.session,
            at=text.at,
            before=before,
            after=after,
            asks=text.summary.rstrip().endswith("?"),
            importance=weight.importance if weight else NEUTRAL,
        )
