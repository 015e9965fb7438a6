"""What is near each of many new vectors, among all that came before it.

Everything is compared with everything before it, but not in full: bounds are, and the
cosine of a pair is computed only where the bound leaves room for an edge.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import about, cosines, rounding
from crewmem.vectors.page import GONE
from crewmem.vectors.projection import SAMPLE, chosen, in_full

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from crewmem.retrieval.vectors import Floats, Keys, Mask, Places
    from crewmem.vectors.page import Owners
    from crewmem.vectors.projection import Projection
    from crewmem.vectors.scan import Slots

ROWS_BYTES = 16_000_000
"""Of the new vectors that share a pass over the earlier ones."""

ROWS = 1_024
"""Of these, how many are multiplied with a page at a time: the products stay near."""

PAIRS = 1_024
"""Pairs that are brought together at a time."""

DENSE = 0.02
"""Share of the pairs from which on to multiply in full costs less."""


NOT_NEAR = np.float32(-2)
"""In the place of a cosine."""


class Neighbours(NamedTuple):
    """Edges from new keys to earlier ones: by new key, nearest first, ties by key.

    Attributes:
        keys: The new key of each edge.
        others: The key that it is near.
        cosines: How near; in [-1, 1].
    """

    keys: Keys
    others: Keys
    cosines: Floats


def neighbours(
    slots: Slots, new: Keys, *, least: float, top: int, owner: int | None = None
) -> Neighbours:
    """Return for each of the *new* keys the *top* keys before it that are nearest.

    Those at a cosine below *least* are left out, and those of others than *owner*, if
    it is named. A key is as near as the nearest of its vectors.
    """
    every, owners = slots.heads()
    if owner is not None:
        owners = np.where(owners == owner, owners, GONE)
    places = np.flatnonzero(np.isin(every, new) & (owners != GONE))
    places = places[np.argsort(every[places], kind="stable")]
    at_once = max(1, ROWS_BYTES // (4 * slots.dim))
    projection = _projection(slots, places, least, at_once)
    found = _nothing()
    for at in range(0, len(places), at_once):
        here = places[at : at + at_once]
        read, vectors = slots.read(here)
        rows = _Rows(every[here[read]], vectors, np.float32(least), top)
        for keys, others in _earlier(slots, every, owners, rows.last, top):
            rows.compare(keys, others, projection)
        found = _joined(found, rows.edges())
    return _ranked(found, top)


def _projection(slots: Slots, places: Places, least: float, at_once: int) -> Projection:
    if len(places) < SAMPLE:
        return in_full(slots.dim)
    of_sample = places[np.linspace(0, len(places) - 1, SAMPLE, dtype=np.intp)]
    _, sample = slots.read(of_sample)
    return chosen(sample, least, min(at_once, len(places)))


def _earlier(
    slots: Slots, keys: Keys, owners: Owners, last: int, top: int
) -> Iterator[tuple[Keys, Floats]]:
    """Yield keys before *last* and their vectors, page by page, by each one's first."""
    for page in np.argsort([page.first_key for page in slots.pages], kind="stable"):
        here = slice(slots.starts[page], slots.starts[page + 1])
        wanted = (keys[here] < last) & (owners[here] != GONE)
        places = np.flatnonzero(wanted) + slots.starts[page]
        read, vectors = slots.read(places)
        if len(read):
            yield _told_apart(keys[places[read]], vectors, top)


def _told_apart(keys: Keys, vectors: Floats, top: int) -> tuple[Keys, Floats]:
    """Return *keys* and *vectors* without those that can be no edge for their equals.

    Of vectors that are equal, byte for byte, those of the first *top* keys are enough:
    all are as near to whatever comes later, and ties go to the first.
    """
    rows = np.ascontiguousarray(vectors).view((np.void, 4 * vectors.shape[1])).ravel()
    _, same = np.unique(rows, return_inverse=True)
    if same.max() + 1 == len(rows):
        return keys, vectors
    order = np.lexsort((keys, same))
    left = order[_ranks(same[order], keys[order]) < top]
    return keys[left], vectors[left]


def _ranks(groups: npt.NDArray[np.intp], keys: Keys) -> npt.NDArray[np.intp]:
    """Return how many other keys of its group come before each; both ascend."""
    new_group = np.ones(len(groups), bool)
    new_group[1:] = groups[1:] != groups[:-1]
    new_key = new_group.copy()
    new_key[1:] |= keys[1:] != keys[:-1]
    nth = np.cumsum(new_key)
    ranks: npt.NDArray[np.intp] = nth - nth[new_group][np.cumsum(new_group) - 1]
    return ranks


class _Rows:
    """New vectors, and what was found near each so far."""

    def __init__(
        self, keys: Keys, vectors: Floats, least: np.float32, top: int
    ) -> None:
        self._keys, self._vectors = keys, vectors
        self._top = top
        self._rounding = rounding(vectors.shape[1])
        self._floors = np.full(len(keys), least)
        self._found = _nothing()
        self._mine: Floats | None = None
        self._memory = np.empty(0, np.float32)
        self._products = self._memory

    @property
    def last(self) -> int:
        """The greatest key."""
        return int(self._keys[-1]) if len(self._keys) else -(2**63)

    def edges(self) -> Neighbours:
        """Return what was found, by key."""
        return self._found._replace(keys=self._keys[self._found.keys])

    def compare(self, keys: Keys, others: Floats, projection: Projection) -> None:
        """Look among *others*, the vectors of *keys*, for what is near."""
        if self._mine is None:
            self._mine = projection.of(self._vectors)
        theirs = projection.of(others).T
        found = [self._found]
        first = int(np.searchsorted(self._keys, keys.min(), "right"))
        for at in range(first, len(self._keys), ROWS):
            rows = slice(at, at + ROWS)
            near = self._near(rows, self._mine, theirs, keys, projection.slack)
            if projection.basis is not None and _is_dense(near):
                near = self._near(rows, self._vectors, others.T, keys, self._rounding)
            if _is_dense(near):
                self._thin(near, keys)
            row, other = np.divmod(np.flatnonzero(near), len(keys))
            found.append(self._verified(row + at, other, keys, others))
        if any(len(each.keys) for each in found[1:]):
            self._keep_best(found)

    def _near(
        self, rows: slice, mine: Floats, theirs: Floats, keys: Keys, slack: float
    ) -> Mask:
        """Return which of *keys* are before those of *rows*, and may be near enough.

        The products, of *mine* and *theirs*, are left in memory that is used again:
        new memory costs as much as they do.
        """
        shape = len(mine[rows]), len(keys)
        size = shape[0] * shape[1]
        if len(self._memory) < size:
            self._memory = np.empty(size, np.float32)
        self._products = self._memory[:size].reshape(shape)
        np.matmul(mine[rows], theirs, out=self._products)
        near: Mask = self._products >= (self._floors[rows] - slack)[:, None]
        if keys.max() >= self._keys[rows].min():
            near &= keys < self._keys[rows, None]
        return near

    def _thin(self, near: Mask, keys: Keys) -> None:
        """Keep of what is *near* in full the best of each row.

        They are more than asked for where a key has several vectors.
        """
        pieces = int(np.unique(keys, return_counts=True)[1].max())
        nth = len(keys) - self._top * pieces
        if nth > 0:
            self._products[~near] = NOT_NEAR
            least = np.partition(self._products, nth, axis=1)[:, nth]
            near &= self._products >= (least - 2 * self._rounding)[:, None]

    def _verified(
        self, row: Places, other: Places, keys: Keys, others: Floats
    ) -> Neighbours:
        """Return those of the pairs whose cosine is not below the floor of the row."""
        found = [_nothing()]
        for at in range(0, len(row), PAIRS):
            here = slice(at, at + PAIRS)
            mine, theirs = self._vectors[row[here]], others[other[here]]
            floors = self._floors[row[here]]
            worth = np.flatnonzero(about(mine, theirs) >= floors - self._rounding)
            cosine = cosines(mine[worth], theirs[worth])
            edges = Neighbours(row[here][worth], keys[other[here][worth]], cosine)
            found.append(_at(edges, np.flatnonzero(cosine >= floors[worth])))
        return _joined(*found)

    def _keep_best(self, found: list[Neighbours]) -> None:
        best = _ranked(_joined(*found), self._top)
        self._found = best
        ends = np.flatnonzero(np.diff(best.keys, append=-1))
        counts = np.diff(ends, prepend=-1)
        full = ends[counts == self._top]
        self._floors[best.keys[full]] = best.cosines[full]


def _is_dense(near: Mask) -> bool:
    return int(np.count_nonzero(near)) > DENSE * near.size


def _nothing() -> Neighbours:
    none = np.empty(0, np.int64)
    return Neighbours(none, none, np.empty(0, np.float32))


def _joined(*edges: Neighbours) -> Neighbours:
    return Neighbours(
        np.concatenate([each.keys for each in edges]),
        np.concatenate([each.others for each in edges]),
        np.concatenate([each.cosines for each in edges]),
    )


def _ranked(edges: Neighbours, top: int) -> Neighbours:
    """Return each edge once, the *top* of each key: nearest first, ties by key."""
    edges = _at(edges, np.lexsort((-edges.cosines, edges.others, edges.keys)))
    new = np.ones(len(edges.keys), bool)
    new[1:] = np.diff(edges.keys) != 0
    new[1:] |= np.diff(edges.others) != 0
    edges = _at(edges, np.flatnonzero(new))
    edges = _at(edges, np.lexsort((edges.others, -edges.cosines, edges.keys)))
    return _at(
        edges, np.flatnonzero(_ranks(edges.keys, np.arange(len(edges.keys))) < top)
    )


def _at(edges: Neighbours, places: Places) -> Neighbours:
    return Neighbours(edges.keys[places], edges.others[places], edges.cosines[places])
