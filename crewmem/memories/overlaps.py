"""How much of their words memories have in common, told of all of them at once."""

from __future__ import annotations

from crewmem.memories.clusters import pairs
from crewmem.memories.similar import text_of, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.memories.memory import Memory
    from crewmem.memories.similar import Tokenize


class Overlaps:
    """Which of many memories share how much of all their words.

    Each is known by what it said when they were compared: of one that says something
    else by now nothing is told.
    """

    def __init__(
        self, memories: Iterable[Memory], tokenize: Tokenize, least: float
    ) -> None:
        """Compare *memories*; what shares less than *least* of all is not alike.

        Of each only its words are kept. What is shared is met by whatever is like it,
        however many copies there are.
        """
        self._at: dict[str, int] = {}
        self._seqs: list[set[int]] = []
        stems: list[tuple[str, ...]] = []
        known: dict[str, str] = {}  # a word is kept once, whoever says it
        marks: list[set[str]] = []
        for each in memories:
            if self.meet(each):
                found = words(text_of(each), tokenize)
                stems.append(tuple(known.setdefault(stem, stem) for stem in found))
                marks.append(set())
            if each.scope != "agent":
                marks[self._at[each.content_hash]].add(f"{each.scope} {each.owner}")
        known.clear()
        self._near: list[dict[int, float]] = [
            {at: 1.0} if some else {} for at, some in enumerate(stems)
        ]
        shared = [" ".join(sorted(each)) for each in marks]
        for (one, other), similarity in pairs(stems, least, shared).items():
            self._near[one][other] = self._near[other][one] = similarity

    def knows(self, memory: Memory) -> bool:
        """Tell whether *memory* was compared, and says the same still."""
        at = self._at.get(memory.content_hash)
        return at is not None and memory.seq in self._seqs[at]

    def meet(self, memory: Memory) -> bool:
        """Take *memory* for one more that says what it says; tell if none did before.

        What says the same as one that was compared is like the same ones.
        """
        at = self._at.setdefault(memory.content_hash, len(self._seqs))
        if at == len(self._seqs):
            self._seqs.append(set())
        self._seqs[at].add(memory.seq)
        return len(self._seqs[at]) == 1

    def of(self, memory: Memory, least: float) -> dict[int, float]:
        """Return the places of what is like *memory*, and how much, in [*least*, 1]."""
        at = self._at.get(memory.content_hash)
        if at is None or at >= len(self._near):
            return {}
        return {
            seq: similarity
            for other, similarity in self._near[at].items()
            if similarity >= least
            for seq in self._seqs[other]
            if seq != memory.seq
        }
