"""What says the same: by vectors where both have one, by their words otherwise."""

from __future__ import annotations

from crewmem.memories.opposed import opposed
from crewmem.memories.similar import alike, text_of
from crewmem.memories.spaces import key_of, seq_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.memories.memory import Memory
    from crewmem.memories.similar import Tokenize
    from crewmem.memories.store import Memories
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

    Cosines = Mapping[int, Mapping[int, float]]
    """Of each key that has a vector, the near ones."""

COSINE, WORDS = "cosine", "words"

NEAREST = 50
"""Of each memory that are looked at: what many say needs no more to be told."""


class Like(NamedTuple):
    """A memory that says much the same.

    Attributes:
        similarity: In [0, 1]; of words the part of both that is in both.
        memory: The memory.
        by: cosine, or words where one of them has no vector.
    """

    similarity: float
    memory: Memory
    by: str

    def __str__(self) -> str:
        return f"{self.by} {self.similarity:.2f}"


def cosines(
    vectors: VectorStore, space: Space, memories: Iterable[Memory], least: float
) -> Cosines:
    """Return how near those of *memories* that have a vector are to each other.

    What is less near than *least* is left out.
    """
    keys = [key_of(each.seq, each.content_hash) for each in memories]
    there = vectors.has(space, keys) if keys else set()
    found: dict[int, dict[int, float]] = {key: {} for key in there}
    if not there:
        return found
    near = vectors.neighbours(space, there, least=least, top=NEAREST)
    pairs = zip(near.keys.tolist(), near.others.tolist(), strict=True)
    for (one, other), cosine in zip(pairs, near.cosines.tolist(), strict=True):
        if other in found:
            found[one][other] = found[other][one] = min(1.0, cosine)
    return found


class Likeness:
    """Finds what says the same in a workspace, whoever's it is."""

    def __init__(
        self,
        memories: Memories,
        workspace: str,
        tokenize: Tokenize,
        near: Cosines | None = None,
    ) -> None:
        """Compare by what is *near*, and what is not in it by words."""
        self._memories, self._workspace = memories, workspace
        self._tokenize, self._near = tokenize, near or {}

    def of(self, memory: Memory, least: float) -> list[Like]:
        """Return the live memories that say much the same, nearest first.

        Itself is not among them, nor what is opposed to it. It knows no scope: it is
        for what the system does for all.
        """
        found = [*self._by_vectors(memory, least), *self._by_words(memory, least)]
        same = [one for one in found if not _opposed(memory, one.memory)]
        return sorted(same, key=lambda one: (-one.similarity, one.memory.seq))

    def _by_vectors(self, memory: Memory, least: float) -> Iterable[Like]:
        near = self._near.get(_key(memory), {})
        seqs = {seq_of(key): near[key] for key in near if near[key] >= least}
        if not seqs:
            return
        for each in self._memories.among(self._workspace, seqs):
            if _key(each) in near:  # it says the same still
                yield Like(seqs[each.seq], each, COSINE)

    def _by_words(self, memory: Memory, least: float) -> Iterable[Like]:
        has_vector = _key(memory) in self._near
        for similarity, each in alike(
            self._memories, self._workspace, memory, self._tokenize, least
        ):
            if not (has_vector and _key(each) in self._near):
                yield Like(similarity, each, WORDS)


def _key(memory: Memory) -> int:
    return key_of(memory.seq, memory.content_hash)


def _opposed(one: Memory, other: Memory) -> bool:
    return opposed(text_of(one), text_of(other))
