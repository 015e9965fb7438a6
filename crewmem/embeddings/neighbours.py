"""The nearest texts of many texts at once, exactly and without comparing everything in full.

A vector is split into its part along the main directions of the collection and the rest. The
product of the parts plus the product of the lengths of the rests is at least the cosine. It
takes a quarter of the work, and few pairs pass it; only those are compared in full.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crewmem.embeddings.store import CollectionName, Vectors

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

ROWS = 8192
"""Texts whose neighbours are found in one pass over the collection."""

COLUMNS = 1024
"""Texts that they are compared with at once."""

DIRECTIONS = 96
"""Main directions of a bound. With 64, three times as many pairs had to be compared in full."""

FEW = 1024
"""Texts up to which finding the main directions costs more than it saves."""

MANY_PAIRS = 0.02
"""Share of pairs that pass the bound from which a full product costs less."""

PAIRS = 4096
"""Pairs that are compared in full at once."""

ROUNDING = np.float32(1e-5)
NOWHERE = np.iinfo(np.int64).max
"""Place of a text that has none: after all others."""


class _Pairs(NamedTuple):
    """Pairs of texts: row of the one, key of the other, cosine."""

    rows: Integers
    others: Integers
    cosines: Floats


def find_neighbours(
    vectors: Vectors,
    collection: CollectionName,
    keys: Collection[int],
    *,
    threshold: float,
    limit: int,
    order: Mapping[int, int],
) -> list[tuple[int, int, float]]:
    """Return (key, other key, cosine), by key as given, nearest first; see `Vectors.neighbours`."""
    wanted = sorted({key for key in keys if key in order}, key=order.__getitem__)
    directions = None
    if len(wanted) > FEW:
        sample = vectors.sample(collection)
        _, axes = np.linalg.eigh(sample.T @ sample)
        directions = np.ascontiguousarray(axes[:, -DIRECTIONS:], dtype=np.float32)
    found: list[tuple[int, int, float]] = []
    for first in range(0, len(wanted), ROWS):
        names, matrix = vectors.read(collection, wanted[first : first + ROWS])
        if not names:
            continue
        # Pieces of a text share a row number, so that a neighbour is as near as its nearest piece.
        held = set(names)
        texts = [key for key in wanted[first : first + ROWS] if key in held]
        number_of = {name: number for number, name in enumerate(texts)}
        numbers = np.array([number_of[name] for name in names], np.int64)
        rows = np.argsort(numbers, kind="stable")
        block = _Block(numbers[rows], np.array(texts, np.int64), matrix[rows], order)
        best = _compare(block, vectors.pages(collection), directions, threshold, limit)
        names = block.texts[best.rows].tolist()
        found += zip(names, best.others.tolist(), best.cosines.tolist(), strict=True)
    places = {key: place for place, key in enumerate(wanted)}
    found.sort(key=lambda pair: (places[pair[0]], -pair[2], pair[1]))
    return found


def split_by(directions: Floats, vectors: Floats) -> Floats:
    """Return the part of each vector along *directions*, and the length of the rest."""
    parts = vectors @ directions
    rest = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", parts, parts)
    return np.concatenate([parts, np.sqrt(np.maximum(rest, 0))[:, None]], axis=1)


class _Block:
    """Texts whose neighbours are looked for in one pass."""

    def __init__(
        self,
        numbers: Integers,
        texts: Integers,
        matrix: Floats,
        order: Mapping[int, int],
    ) -> None:
        self.numbers = numbers
        self.texts = texts
        self.matrix = matrix
        self.order = order
        self.places = self.find_places(texts)

    def find_places(self, keys: Integers) -> Integers:
        """Return the place of each key in the order."""
        return np.array([self.order.get(key, NOWHERE) for key in keys.tolist()], np.int64)


def _compare(
    block: _Block,
    pages: Iterator[tuple[Integers, Floats]],
    directions: Floats | None,
    threshold: float,
    limit: int,
) -> _Pairs:
    """Return the best pairs of each text of *block*, with texts of *pages*."""
    best = _Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    # What a pair must reach: rises where a text has found all that it may have.
    floors = np.full(len(block.texts), threshold, np.float32)
    last = block.places.max()
    parts = None if directions is None else split_by(directions, block.matrix)
    for keys, page in _join(pages):
        places = block.find_places(keys)
        earlier = places < last
        keys, page, places = keys[earlier], page[earlier], places[earlier]
        # Rows are in order: those before all of the page have nothing to find there.
        row_places = block.places[block.numbers]
        start = int(np.searchsorted(row_places, places.min(initial=NOWHERE), side="right"))
        if not len(keys) or start == len(block.matrix):
            continue
        matrix, numbers = block.matrix[start:], block.numbers[start:]
        least = floors[numbers][:, None]
        rows = None
        if directions is not None and parts is not None:
            bounds = parts[start:] @ split_by(directions, page).T
            rows, columns = _find(bounds >= least - ROUNDING)
        if rows is None or len(rows) > MANY_PAIRS * matrix.shape[0] * len(keys):
            cosines = matrix @ page.T
            rows, columns = _find(cosines >= least)
            values = cosines[rows, columns]
        else:
            values = _multiply_pairs(matrix, rows, page, columns)
        numbers, others = numbers[rows], keys[columns]
        keep = (values >= floors[numbers]) & (places[columns] < block.places[numbers])
        if not keep.any():
            continue
        best = _keep_best(
            _Pairs(
                np.concatenate([best.rows, numbers[keep]]),
                np.concatenate([best.others, others[keep]]),
                np.concatenate([best.cosines, values[keep]]),
            ),
            limit,
        )
        ends = np.flatnonzero(np.bincount(best.rows, minlength=len(floors)) >= limit)
        # The last pair of a row is its lowest: `_keep_best` sorts by row, best first.
        floors[ends] = best.cosines[np.searchsorted(best.rows, ends, side="right") - 1]
    return best


def _find(mask: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Return rows and columns of what is true: five times as fast as ``nonzero`` of a matrix."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


def _join(pages: Iterator[tuple[Integers, Floats]]) -> Iterator[tuple[Integers, Floats]]:
    """Yield about `COLUMNS` vectors at once."""
    held: list[tuple[Integers, Floats]] = []
    size = 0
    for page in pages:
        held.append(page)
        size += len(page[0])
        if size >= COLUMNS:
            yield np.concatenate([keys for keys, _ in held]), np.concatenate([v for _, v in held])
            held, size = [], 0
    if held:
        yield np.concatenate([keys for keys, _ in held]), np.concatenate([v for _, v in held])


def _multiply_pairs(matrix: Floats, rows: Integers, page: Floats, columns: Integers) -> Floats:
    """Return the cosine of each pair."""
    values = np.empty(len(rows), np.float32)
    for first in range(0, len(rows), PAIRS):
        part = slice(first, first + PAIRS)
        values[part] = np.einsum("ij,ij->i", matrix[rows[part]], page[columns[part]])
    return values


def _keep_best(pairs: _Pairs, limit: int) -> _Pairs:
    """Keep the best *limit* pairs of each row, a neighbour once; sorted by row, best first."""
    order = np.lexsort((-pairs.cosines, pairs.others, pairs.rows))
    rows, others = pairs.rows[order], pairs.others[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (rows[1:] != rows[:-1]) | (others[1:] != others[:-1])
    order = order[is_first]
    order = order[np.lexsort((pairs.others[order], -pairs.cosines[order], pairs.rows[order]))]
    rows = pairs.rows[order]
    starts = np.searchsorted(rows, rows, side="left")
    order = order[np.arange(len(rows)) - starts < limit]
    return _Pairs(pairs.rows[order], pairs.others[order], pairs.cosines[order])
