"""Finding chunks by what they mean, where an index has vectors."""

from __future__ import annotations

from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError
from crewmem.retrieval.query import MOST_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from crewmem.backends.embed import Embedder, Vectors
    from crewmem.files.store import MemoryIndex
    from crewmem.files.vectors_store import ChunkVectors
    from crewmem.files.words_store import Filter
    from crewmem.vectors.space import Kept, Space
    from crewmem.vectors.store import VectorStore

    Scores = dict[tuple[int, int], float]

    Senses = Callable[[str], Embedder | None]
    """Gives what embeds for vectors of a model; None where nothing does."""

FAILURES = (BackendError, DataError, NotFoundError, RefusedError)
"""What may be wrong with an embedder: the words are there."""

CANDIDATES = 50
"""Chunks that each index offers to the common ranking, as by words."""

WIDER = 8
"""Times as many are looked at where a filter lets too few pass."""


class Senser:
    """Embeds one question once for each model, and asks indexes with it.

    Attributes:
        notes: Why words alone were asked; empty if they were not.
    """

    def __init__(self, text: str, senses: Senses) -> None:
        self._text, self._senses = text, senses
        self._asked: dict[str, Vectors | None] = {}
        self.notes: list[str] = []

    def near(
        self, index: MemoryIndex, where: Path, wanted: Filter, also: Collection[int]
    ) -> dict[int, float]:
        """Return the chunks of *index* that are near, with their cosines.

        Args:
            index: Where to look.
            where: The directory that it is of.
            wanted: Which chunks may be found.
            also: Chunks that were found by words: their cosine is told, too.
        """
        try:
            return self._near(index, where, wanted, also)
        except FAILURES as error:
            self.notes.append(f"the search goes by words alone: {error}")
            return {}

    def _near(
        self, index: MemoryIndex, where: Path, wanted: Filter, also: Collection[int]
    ) -> dict[int, float]:
        vectors = index.vectors
        store = vectors.store
        kept = max(store.spaces(), key=lambda each: each.vectors, default=None)
        if not (kept and kept.vectors) or (asked := self._vector(kept.space)) is None:
            return {}
        chunks, cosines = _nearest(vectors, store, kept, asked, wanted)
        words = vectors.key_of(also)
        lacking = {*words.values()} - cosines.keys()
        cosines |= store.cosines_of(kept.space, asked, lacking)
        if store.damaged:
            self.notes.append(
                f"some vectors of {where} cannot be read, and were left out; "
                "crewmem memory reindex --full drops them, and a sweep makes them anew"
            )
        return {
            chunk: cosines[key]
            for chunk, key in (chunks | words).items()
            if key in cosines
        }

    def _vector(self, space: Space) -> Vectors | None:
        if space.model not in self._asked:
            self._asked[space.model] = None  # once is enough, also if it fails
            if embedder := self._senses(space.model):
                piece = embedder.pieces(self._text[:MOST_CHARS])[0]
                (self._asked[space.model],) = embedder.embed([piece])
        return self._asked[space.model]


def _nearest(
    vectors: ChunkVectors,
    store: VectorStore,
    kept: Kept,
    asked: Vectors,
    wanted: Filter,
) -> tuple[dict[int, int], dict[int, float]]:
    """Return the nearest chunks that are *wanted*, with their keys, and all cosines.

    A filter may let few pass: then more are looked at, until there are enough.
    """
    most = CANDIDATES
    while True:
        found = store.nearest(kept.space, asked, most)
        cosines = dict(zip(found.keys.tolist(), found.cosines.tolist(), strict=True))
        chunks = vectors.chunks(cosines, wanted)
        if len(chunks) >= CANDIDATES or len(cosines) < most:
            best = sorted(chunks, key=lambda each: (-cosines[chunks[each]], each))
            return {each: chunks[each] for each in best[:CANDIDATES]}, cosines
        most *= WIDER


def filled(words: Scores, cosines: Scores) -> Scores:
    """Return *cosines*, and in the place of those of chunks without a vector a guess.

    Nothing is known of these but their *words*, by index and chunk: they stand among
    the cosines as they do among the words.
    """
    lacking = words.keys() - cosines.keys()
    if not (lacking and cosines):
        return cosines
    least, low = min(words.values()), min(cosines.values())
    width, range_ = max(words.values()) - least, max(cosines.values()) - low
    return cosines | {
        key: low + range_ * ((words[key] - least) / width if width else 1.0)
        for key in lacking
    }
