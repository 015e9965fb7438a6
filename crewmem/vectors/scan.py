"""One pass over the codes of a space, and a second look at what came out well.

The first pass bounds every cosine; what may be among the best by its bound is then
computed from the vectors themselves. So what is found is what a comparison with
every vector would have found, for a quarter of the bytes.
"""

from __future__ import annotations

from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import are_units, cosines
from crewmem.vectors.page import (
    GONE,
    HEAD,
    slots_of_part,
    unpack,
    unpack_heads,
    unpack_part,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from crewmem.retrieval.vectors import Floats, Keys, Mask, Places
    from crewmem.vectors.page import Owners, Page
    from crewmem.vectors.pages_store import Directory, Pages

BLOCK_BYTES = 400_000
"""Of codes that are made floats at a time, as floats: they stay in a cache that is the
processor's own. From 100 kB on it took the same time, and from 2 MB on, more."""

NOWHERE = np.float32(-np.inf)
"""The score of what is not to be found."""


def holding(pages: Iterable[Directory], keys: Keys) -> list[Directory]:
    """Return those of *pages* that may have one of *keys*, which ascend."""
    return [
        page
        for page in pages
        if np.searchsorted(keys, page.first_key)
        < np.searchsorted(keys, page.last_key, "right")
    ]


class Slots:
    """The slots of a space, one after the other, whatever page they are in.

    Attributes:
        starts: Place of the first slot of each page; then their number.
    """

    def __init__(self, store: Pages, pages: Sequence[Directory], dim: int) -> None:
        self._store, self.pages, self.dim = store, pages, dim
        self.starts = np.zeros(len(pages) + 1, np.intp)
        np.cumsum([page.slots for page in pages], out=self.starts[1:])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def heads(self) -> tuple[Keys, Owners]:
        """Return the key and the owner of each slot; `GONE` where there is none."""
        keys = np.zeros(len(self), np.int64)
        owners = np.full(len(self), GONE, np.int32)
        for at, packed in self._packed(12):
            here = slice(self.starts[at], self.starts[at + 1])
            keys[here], owners[here] = unpack_heads(packed, self.pages[at].slots)
        self.settle(keys, owners)
        return keys, owners

    def keys(self) -> Keys:
        """Return the keys that are there, each once, ascending."""
        keys, owners = self.heads()
        return once(keys[owners != GONE])

    def settle(self, keys: Keys, owners: Owners) -> bool:
        """Take the owners from pages that are torn; tell if any slot has none.

        What a page holds has to agree with what is written elsewhere of it.
        """
        firsts = self.starts[:-1]
        if not len(firsts):
            return False
        gone = owners == GONE
        found = (
            np.minimum.reduceat(keys, firsts),
            np.maximum.reduceat(keys, firsts),
            np.add.reduceat(gone.view(np.int8), firsts, dtype=np.int64),
        )
        rows = [(page.first_key, page.last_key, page.removed) for page in self.pages]
        torn = (np.transpose(found) != np.array(rows, np.int64)).any(axis=1)
        for at in np.flatnonzero(torn).tolist():
            owners[self.starts[at] : self.starts[at + 1]] = GONE
            self._damaged(at, "its keys are not those that it should have")
        return bool(torn.any() or gone.any())

    def disbelieve(self, places: Places) -> None:
        """Note that what is at *places* does not agree with itself."""
        for at in np.unique(np.searchsorted(self.starts, places, "right") - 1):
            self._damaged(int(at), "its codes are not those of its vectors")

    def _damaged(self, at: int, reason: str) -> None:
        self._store.damaged.setdefault(self.pages[at].id, reason)

    def of_keys(self, keys: Keys) -> tuple[Keys, Places]:
        """Return the keys at the places of *keys*, and these, ascending."""
        found, owners = self.heads()
        places = np.flatnonzero(np.isin(found, keys) & (owners != GONE))
        return found[places], places

    def codes(self) -> Iterator[tuple[slice, Page]]:
        """Yield each page that can be read, and the places of its slots.

        A page is good until the next is asked for.
        """
        for at, packed in self._packed(self.dim + HEAD):
            page = unpack(packed, self.pages[at].slots, self.dim)
            if np.isfinite(page.scales).all():
                yield slice(int(self.starts[at]), int(self.starts[at + 1])), page
            else:
                self._damaged(at, "a scale of it is no number")

    def _packed(self, of_slot: int) -> Iterator[tuple[int, memoryview]]:
        """Yield what bytes *of_slot* come to of each page that can be read."""
        wanted = [
            (each.id, each.slots * (self.dim + HEAD), each.slots * of_slot)
            for each in self.pages
        ]
        for at, packed in enumerate(self._store.packed(wanted)):
            if packed is not None:
                yield at, packed

    def vectors(self, places: Places) -> Iterator[tuple[Places, Floats]]:
        """Yield the vectors at *places*, which ascend, part by part.

        Those of a part that is damaged are left out.

        Yields:
            Which of *places*, by index, and their vectors, in the same order.
        """
        per_part = slots_of_part(self.dim)
        page = np.searchsorted(self.starts, places, "right") - 1
        slot = places - self.starts[page]
        number = slot // per_part
        new = np.flatnonzero((np.diff(page) != 0) | (np.diff(number) != 0)) + 1
        groups = np.split(np.arange(len(places)), new) if len(places) else []
        wanted = []
        for group in groups:
            of, part = self.pages[page[group[0]]], int(number[group[0]])
            slots = min(per_part, of.slots - part * per_part)
            wanted.append((of.id, part, slots * self.dim * 4))
        for group, packed in zip(groups, self._store.parts(wanted), strict=True):
            if packed is not None:
                vectors = unpack_part(packed, self.dim)[slot[group] % per_part]
                if are_units(vectors):
                    yield group, vectors
                else:
                    self._damaged(int(page[group[0]]), "a vector is not of length one")

    def read(self, places: Places) -> tuple[Places, Floats]:
        """Return the vectors at *places*, in their order, and which of them those are.

        Those of parts that are damaged are left out.
        """
        order = np.argsort(places, kind="stable")
        found = np.empty((len(places), self.dim), np.float32)
        read = np.zeros(len(places), bool)
        for which, vectors in self.vectors(places[order]):
            found[order[which]] = vectors
            read[order[which]] = True
        return np.flatnonzero(read), found if read.all() else found[read]


def once(keys: Keys) -> Keys:
    """Return each of *keys* once, ascending.

    By sorting, for they nearly are: to tell them apart by hashes, as numpy does by
    itself, took ten times as long.
    """
    found = np.sort(keys, kind="stable")
    new: Mask = np.diff(found, prepend=found[:1] - 1) != 0
    return found[new]


class Scan:
    """Queries beside everything in a space: about how near, and exactly."""

    def __init__(self, slots: Slots, queries: Floats) -> None:
        self.slots, self.queries = slots, queries
        self.keys: Keys = np.zeros(len(slots), np.int64)
        self.owners: Owners = np.full(len(slots), GONE, np.int32)
        self.scores = np.full((len(queries), len(slots)), NOWHERE)
        self.slack = max((page.slack for page in slots.pages), default=0.0)
        with np.errstate(all="ignore"):  # of numbers that are damaged
            self._compare()
        if slots.settle(self.keys, self.owners):
            self.leave_out(self.owners == GONE)

    def _compare(self) -> None:
        size = max(1, BLOCK_BYTES // (4 * self.slots.dim))
        floats = np.empty((size, self.slots.dim), np.float32)
        for here, page in self.slots.codes():
            self.keys[here], self.owners[here] = page.keys, page.owners
            scores = self.scores[:, here]
            for at in range(0, len(page.keys), size):
                codes = page.codes[at : at + size]
                block = floats[: len(codes)]
                np.copyto(block, codes)
                _products(self.queries, block, scores[:, at : at + size])
            scores *= page.scales

    def leave_out(self, slots: Mask) -> None:
        """Let none of *slots* be found."""
        self.scores[:, slots] = NOWHERE

    def keep_owners(self, owners: Collection[int]) -> None:
        """Let only what belongs to one of *owners* be found."""
        self.leave_out(~np.isin(self.owners, np.array([*owners], np.int32)))

    def cosines(self, query: int, places: Places) -> Floats:
        """Return the cosines at *places*, which ascend; `NOWHERE` where damaged.

        What is not as near as its code says, within the slack, is not believed.
        """
        found = np.full(len(places), NOWHERE)
        for which, vectors in self.slots.vectors(places):
            found[which] = cosines(vectors, self.queries[query])
        differing = np.abs(found - self.scores[query, places])
        wrong = (found > NOWHERE) & ~(differing <= self.slack)
        if wrong.any():
            self.slots.disbelieve(places[wrong])
            found[wrong] = NOWHERE
        return found


def _products(queries: Floats, block: Floats, out: npt.NDArray[np.float32]) -> None:
    if len(queries) == 1:
        np.dot(block, queries[0], out=out[0])
    else:
        np.matmul(queries, block.T, out=out)
