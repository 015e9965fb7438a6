"""The store of vectors: what the rooms above keep, find and remove.

numpy is imported by what needs it. Where a sweep has stopped, how many vectors there
are and what failed is known without.
"""

from __future__ import annotations

from crewmem.db import derived
from crewmem.db.connect import BUSY_TIMEOUT
from crewmem.db.derived import Derived
from crewmem.typed import cast
from crewmem.vectors import FILE, VERSION
from crewmem.vectors.pages_store import Pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Self

    import apsw
    import numpy.typing as npt

    from crewmem.retrieval.vectors import Floats, Keys
    from crewmem.vectors.nearest import Nearest
    from crewmem.vectors.neighbours import Neighbours
    from crewmem.vectors.page import Owners
    from crewmem.vectors.scan import Slots
    from crewmem.vectors.space import Failure, Kept, Space
    from crewmem.vectors.themes import Themes

VECTORS = Derived(
    name=FILE,
    schema="vectors",
    version=VERSION,
    page_size=65_536,
    again="crewmem episodes reembed",
)
"""The vectors of a home. Its pages are as large as SQLite's can be: a part is one."""


class VectorStore:
    """Vectors in a database that has their tables.

    Keys are int64 numbers of what the vectors are of. A key may have several vectors,
    those of the pieces of a long text: it is as near to a query as the nearest.

    Attributes:
        damaged: Why each page that was met and could not be read could not, by its
            number. Everything else was searched.
    """

    def __init__(self, db: apsw.Connection, *, again: str = "") -> None:
        self._pages = Pages(db, again=again)
        self.damaged = self._pages.damaged

    @classmethod
    def open_to_write(cls, home: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open the store of *home*; make it if there is none that can be used.

        Raises:
            HomeMissingError: If there is no home.
            NotWritableError: If it may not be written.
        """
        db = derived.open_to_write(home, VECTORS, busy_timeout=busy_timeout)
        return cls(db, again=VECTORS.again)

    @classmethod
    def open_to_read(cls, home: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open the store of *home*; an empty one if there is none.

        Raises:
            DerivedDamagedError: If it is damaged.
        """
        db = derived.open_to_read(home, VECTORS, busy_timeout=busy_timeout)
        return cls(db or derived.in_memory(VECTORS), again=VECTORS.again)

    @classmethod
    def open_anew(cls, home: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open an empty store in the place of that of *home*, however that is."""
        db = derived.open_anew(home, VECTORS, busy_timeout=busy_timeout)
        return cls(db, again=VECTORS.again)

    def close(self) -> None:
        """Close the database."""
        self._pages.close()

    def changing(self) -> AbstractContextManager[None]:
        """Commit what happens inside, all of it or nothing; changes may be nested."""
        return self._pages.changing()

    # What is there

    def spaces(self) -> list[Kept]:
        """Return every space, with the number of its vectors and its mark."""
        return self._pages.spaces()

    def count(self, space: Space, owners: Collection[int] | None = None) -> int:
        """Return how many vectors *space* has, or those of *owners*.

        Without *owners* nothing is read but the list of pages.
        """
        if owners is None:
            return self._pages.count(self._pages.id_of(space))
        from crewmem.retrieval.numerics import np

        with self._pages.reading():
            _, found = self._slots(space).heads()
        return int(np.isin(found, np.array([*owners], np.int32)).sum())

    def keys(self, space: Space) -> Keys:
        """Return the keys of *space*, each once, ascending."""
        with self._pages.reading():
            return self._slots(space).keys()

    def has(self, space: Space, keys: Iterable[int]) -> set[int]:
        """Return those of *keys* that have a vector in *space*."""
        from crewmem.retrieval.numerics import np
        from crewmem.vectors.scan import once

        asked = once(np.fromiter(keys, np.int64))
        with self._pages.reading():
            found, _ = self._slots(space, asked).of_keys(asked)
        return set(found.tolist())

    # Where a sweep is

    def mark(self, space: Space) -> int:
        """Return how far the sweep has looked in *space*; 0 before its first."""
        return self._pages.mark(self._pages.id_of(space))

    def set_mark(self, space: Space, mark: int) -> None:
        """Keep *mark*, in a change that is made, or in one of its own."""
        with self.changing():
            self._pages.set_mark(self._pages.make(space), mark)

    def failures(self, space: Space) -> list[Failure]:
        """Return what could not be embedded, by key."""
        return self._pages.failures(self._pages.id_of(space))

    def fail(self, space: Space, failures: Iterable[Failure]) -> None:
        """Keep *failures*, in the place of earlier ones of the same keys."""
        with self.changing():
            self._pages.fail(self._pages.make(space), failures)

    def forget(self, space: Space, keys: Iterable[int]) -> None:
        """Drop the failures of *keys*."""
        with self.changing():
            self._pages.forget(self._pages.id_of(space), keys)

    # Changes

    def add(
        self,
        space: Space,
        keys: Sequence[int] | Keys,
        owners: Sequence[int] | Owners | int,
        vectors: npt.ArrayLike,
    ) -> None:
        """Add *vectors*, each of its key and its owner; drop the failures of *keys*.

        Raises:
            BadVectorError: If a vector cannot be kept; then none is.
        """
        from crewmem.vectors.change import add

        add(self._pages, space, keys, owners, vectors)

    def remove(self, space: Space, keys: Iterable[int]) -> int:
        """Remove the vectors of *keys*; return how many there were."""
        from crewmem.vectors.change import remove

        return remove(self._pages, space, keys)

    def reown(self, space: Space, owners: Mapping[int, int]) -> int:
        """Give the vectors of each key in *owners* that owner; return how many."""
        from crewmem.vectors.change import reown

        return reown(self._pages, space, owners)

    def drop(self, space: Space) -> None:
        """Remove *space*: its vectors, its mark and its failures."""
        with self.changing():
            self._pages.drop(self._pages.id_of(space))

    def mend(self, space: Space) -> int:
        """Remove what is `damaged` of *space*; return how many vectors that were.

        The mark is set back, so that the next sweep embeds them again.
        """
        from crewmem.vectors.change import mend

        return mend(self._pages, space)

    def check(self, space: Space) -> None:
        """Read all of *space*, so that `damaged` tells all that is wrong with it."""
        from crewmem.vectors.change import check

        check(self._pages, space)

    def check_all(self) -> int:
        """Read all that there is, as `check` does; return how many vectors that are."""
        kept = [each for each in self.spaces() if each.vectors]
        for each in kept:
            self.check(each.space)
        return sum(each.vectors for each in kept)

    # What is near

    def nearest(
        self,
        space: Space,
        query: npt.ArrayLike,
        count: int,
        owners: Collection[int] | None = None,
    ) -> Nearest:
        """Return the *count* keys nearest to *query*, a vector; ties by key.

        Args:
            owners: What does not belong to one of these is not there.

        Raises:
            BadVectorError: If *query* cannot be compared.
        """
        (found,) = self.nearest_many(
            space, cast("npt.ArrayLike", [query]), count, owners
        )
        return found

    def nearest_many(
        self,
        space: Space,
        queries: npt.ArrayLike,
        count: int,
        owners: Collection[int] | None = None,
    ) -> list[Nearest]:
        """Return what `nearest` does for each of *queries*; they share the passes."""
        from crewmem.retrieval.vectors import unit
        from crewmem.vectors.nearest import nearest

        asked = unit(queries, space.dim)
        with self._pages.reading():
            return [*nearest(self._slots(space), asked, count, owners=owners)]

    def neighbours(
        self,
        space: Space,
        new: Iterable[int],
        *,
        least: float = 0.80,
        top: int = 3,
        owner: int | None = None,
    ) -> Neighbours:
        """Return for each of the *new* keys the *top* nearest of those before it.

        Those at a cosine below *least* are left out, and those of others than *owner*,
        if it is named.
        """
        from crewmem.retrieval.numerics import np
        from crewmem.vectors.neighbours import neighbours

        keys = np.unique(np.fromiter(new, np.int64))
        with self._pages.reading():
            return neighbours(
                self._slots(space), keys, least=least, top=top, owner=owner
            )

    def themes(self, space: Space, owners: Collection[int]) -> Themes:
        """Return how the vectors of *owners* lie among each other."""
        from crewmem.vectors.themes import themes

        with self._pages.reading():
            return themes(self._slots(space), owners)

    def cosines_of(
        self, space: Space, query: npt.ArrayLike, keys: Iterable[int]
    ) -> dict[int, float]:
        """Return how near to *query* those of *keys* are that have a vector."""
        from crewmem.retrieval.numerics import np
        from crewmem.retrieval.vectors import cosines, unit

        (asked,) = unit(cast("npt.ArrayLike", [query]), space.dim)
        found: dict[int, float] = {}
        for each, vectors in self._vectors(space, keys):
            for key, cosine in zip(
                each.tolist(), cosines(vectors, asked).tolist(), strict=True
            ):
                found[key] = max(cosine, found.get(key, -np.inf))
        return found

    def vectors_of(self, space: Space, keys: Iterable[int]) -> dict[int, Floats]:
        """Return the vectors of those of *keys* that have any: ``(pieces, dim)``."""
        from crewmem.retrieval.numerics import np

        found: dict[int, list[Floats]] = {}
        for each, vectors in self._vectors(space, keys):
            for key, vector in zip(each.tolist(), vectors, strict=True):
                found.setdefault(key, []).append(vector)
        return {key: np.array(vectors) for key, vectors in found.items()}

    def _vectors(
        self, space: Space, keys: Iterable[int]
    ) -> Iterator[tuple[Keys, Floats]]:
        from crewmem.retrieval.numerics import np
        from crewmem.vectors.scan import once

        asked = once(np.fromiter(keys, np.int64))
        with self._pages.reading():
            slots = self._slots(space, asked)
            found, places = slots.of_keys(asked)
            for which, vectors in slots.vectors(places):
                yield found[which], vectors

    def _slots(self, space: Space, keys: Keys | None = None) -> Slots:
        """Return the slots of *space*, or of its pages that may have one of *keys*."""
        from crewmem.vectors.scan import Slots, holding

        pages = self._pages.directory(self._pages.id_of(space))
        if keys is not None:
            pages = holding(pages, keys)
        return Slots(self._pages, pages, space.dim)
