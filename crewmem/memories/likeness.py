"""What says the same: by vectors where both have one, by their words otherwise."""

from __future__ import annotations

from crewmem.memories.opposed import opposed
from crewmem.memories.similar import text_of
from crewmem.memories.spaces import key_of, seq_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crewmem.memories.memory import Memory
    from crewmem.memories.overlaps import Overlaps
    from crewmem.memories.store import Memories
    from crewmem.vectors.neighbours import Neighbours
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

    Cosines = Mapping[int, Mapping[int, float]]
    """Of each key that has a vector, the near ones."""

COSINE, WORDS = "cosine", "words"

NEAREST = 50
"""Of each memory that are looked at: what many say needs no more to be told."""

PAIRS = 2_000_000
"""That are looked at, at most, where there are more copies than that: as many as 1,400
that are all alike have."""


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


class Known(NamedTuple):
    """By what a memory is known where vectors are compared.

    Attributes:
        key: Of its vector, if it has one.
        is_shared: Whether it is no agent's own.
    """

    key: int
    is_shared: bool


def known(memory: Memory) -> Known:
    """Return by what *memory* is known."""
    return Known(_key(memory), memory.scope != "agent")


def cosines(
    vectors: VectorStore, space: Space, memories: Iterable[Known], least: float
) -> Cosines:
    """Return how near those of *memories* that have a vector are to each other.

    What is less near than *least* is left out.
    """
    known_as = {each.key: each.is_shared for each in memories}
    there = vectors.has(space, [*known_as]) if known_as else set()
    found: dict[int, dict[int, float]] = {key: {} for key in there}
    if not there:
        return found
    near = vectors.neighbours(space, there, least=least, top=NEAREST)
    _keep(found, _pairs(near))
    counts: dict[int, int] = {}
    for key in near.keys.tolist():
        counts[key] = counts.get(key, 0) + 1
    if full := [key for key, count in counts.items() if count >= NEAREST]:
        # What is shared may be behind so many others: it would be shared again.
        most = max(NEAREST, PAIRS // len(full))
        near = vectors.neighbours(space, full, least=least, top=most)
        shared = {key for key, is_shared in known_as.items() if is_shared}
        _keep(found, (each for each in _pairs(near) if not shared.isdisjoint(each[:2])))
    return found


def _pairs(near: Neighbours) -> Iterator[tuple[int, int, float]]:
    columns = (near.keys.tolist(), near.others.tolist(), near.cosines.tolist())
    return zip(*columns, strict=True)


def _keep(
    found: dict[int, dict[int, float]], pairs: Iterable[tuple[int, int, float]]
) -> None:
    for one, other, cosine in pairs:
        if other in found:
            found[one][other] = found[other][one] = min(1.0, cosine)


class Likeness:
    """Finds what says the same in a workspace, whoever's it is."""

    def __init__(
        self,
        memories: Memories,
        workspace: str,
        overlaps: Overlaps,
        near: Cosines | None = None,
    ) -> None:
        """Compare by what is *near*, and what is not in it by how words overlap."""
        self._memories, self._workspace = memories, workspace
        self._overlaps, self._near = overlaps, near or {}

    def knows(self, memory: Memory) -> bool:
        """Tell whether *memory* was compared, and says the same still."""
        return self._overlaps.knows(memory)

    def meet(self, memory: Memory) -> None:
        """Take *memory*, which is new and says what another does, for as near."""
        self._overlaps.meet(memory)

    def of(self, memory: Memory, least: float) -> list[Like]:
        """Return the live memories that say much the same, nearest first.

        Itself is not among them, nor what is opposed to it. It knows no scope: it is
        for what the system does for all.
        """
        near = self._near.get(_key(memory), {})
        own = {key: cosine for key, cosine in near.items() if cosine >= least}
        shared = self._overlaps.of(memory, least)
        seqs = {*map(seq_of, own), *shared}
        if not seqs:
            return []
        found = [
            like
            for each in self._memories.among(self._workspace, seqs)
            if (like := self._like(memory, each, own, shared))
            and not _opposed(memory, each)
        ]
        return sorted(found, key=lambda one: (-one.similarity, one.memory.seq))

    def _like(
        self,
        memory: Memory,
        other: Memory,
        own: Mapping[int, float],
        shared: Mapping[int, float],
    ) -> Like | None:
        """Tell how near *other* is, by vectors where both have one; None if not."""
        key = _key(other)
        if _key(memory) in self._near and key in self._near:
            return Like(own[key], other, COSINE) if key in own else None
        if other.seq in shared and self._overlaps.knows(other):
            return Like(shared[other.seq], other, WORDS)
        return None


def _key(memory: Memory) -> int:
    return key_of(memory.seq, memory.content_hash)


def _opposed(one: Memory, other: Memory) -> bool:
    return opposed(text_of(one), text_of(other))
