"""Exact nearest neighbours of many texts at once, without comparing all pairs in full.

A vector is split into its projection on the principal directions of the collection and a residual.
The dot product of two projections plus the product of the residuals' lengths is an upper bound of
the cosine. The bound takes a quarter of the work, and only the few pairs that pass it are compared
in full.
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
"""Texts of the collection that are compared at once."""

DIRECTIONS = 96
"""Number of principal directions. With 64, three times as many pairs had to be compared in
full."""

MIN_TEXTS_FOR_BOUND = 1024
"""Texts up to which finding the principal directions costs more than it saves."""

MANY_PAIRS = 0.02
"""Share of pairs passing the bound above which a full matrix product is faster."""

PAIRS = 4096
"""Pairs that are compared in full at once."""

ROUNDING = np.float32(1e-5)
"""Tolerance for rounding errors of the bound."""

NO_POSITION = np.iinfo(np.int64).max
"""Position of a text that has none: after all others."""


class _Pairs(NamedTuple):
    """Pairs of neighbours, as columns: row of the text, key of its neighbour, cosine."""

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
    """Return (key, neighbour's key, cosine), ordered by *order* of the key, nearest first.

    See `Vectors.neighbours`.
    """
    ordered = sorted({key for key in keys if key in order}, key=order.__getitem__)
    directions = None
    if len(ordered) > MIN_TEXTS_FOR_BOUND:
        sample = vectors.sample(collection)
        _, axes = np.linalg.eigh(sample.T @ sample)
        directions = np.ascontiguousarray(axes[:, -DIRECTIONS:], dtype=np.float32)
    neighbours: list[tuple[int, int, float]] = []
    for first in range(0, len(ordered), ROWS):
        piece_keys, matrix = vectors.read(collection, ordered[first : first + ROWS])
        if not piece_keys:
            continue
        # Pieces of a text share a row number, so that a neighbour is as near as its nearest piece.
        present = set(piece_keys)
        texts = [key for key in ordered[first : first + ROWS] if key in present]
        row_of = {key: row for row, key in enumerate(texts)}
        rows = np.array([row_of[key] for key in piece_keys], np.int64)
        by_row = np.argsort(rows, kind="stable")
        block = _Block(rows[by_row], np.array(texts, np.int64), matrix[by_row], order)
        best = _find_best_pairs(block, vectors.pages(collection), directions, threshold, limit)
        best_keys = block.texts[best.rows].tolist()
        neighbours += zip(best_keys, best.others.tolist(), best.cosines.tolist(), strict=True)
    neighbours.sort(key=lambda pair: (order[pair[0]], -pair[2], pair[1]))
    return neighbours


def _project(directions: Floats, vectors: Floats) -> Floats:
    """Return the projection of each vector on *directions*, and the length of its residual."""
    projections = vectors @ directions
    squares = np.einsum("ij,ij->i", vectors, vectors)
    squares -= np.einsum("ij,ij->i", projections, projections)
    return np.concatenate([projections, np.sqrt(np.maximum(squares, 0))[:, None]], axis=1)


class _Block:
    """Texts whose neighbours are found in one pass.

    Attributes:
        rows: Row number of each vector; the pieces of a text share one.
        texts: Key of each row.
        matrix: The vectors.
        positions: Position of each row in the order.
    """

    def __init__(
        self,
        rows: Integers,
        texts: Integers,
        matrix: Floats,
        order: Mapping[int, int],
    ) -> None:
        self.rows = rows
        self.texts = texts
        self.matrix = matrix
        self._order = order
        self.positions = self.find_positions(texts)

    def find_positions(self, keys: Integers) -> Integers:
        """Return the position of each key in the order."""
        return np.array([self._order.get(key, NO_POSITION) for key in keys.tolist()], np.int64)


def _find_best_pairs(
    block: _Block,
    pages: Iterator[tuple[Integers, Floats]],
    directions: Floats | None,
    threshold: float,
    limit: int,
) -> _Pairs:
    """Return the best pairs of each text of *block* with texts of *pages*."""
    best = _Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    # Minimum cosine of a pair, by row: it rises once a text has *limit* neighbours.
    minimum = np.full(len(block.texts), threshold, np.float32)
    last = block.positions.max()
    projections = None if directions is None else _project(directions, block.matrix)
    for keys, page in _merge_pages(pages):
        positions = block.find_positions(keys)
        earlier = positions < last
        keys, page, positions = keys[earlier], page[earlier], positions[earlier]
        # Rows are in order: those before the whole page have no neighbours in it.
        row_positions = block.positions[block.rows]
        first_position = positions.min(initial=NO_POSITION)
        start = int(np.searchsorted(row_positions, first_position, side="right"))
        if not len(keys) or start == len(block.matrix):
            continue
        matrix, text_rows = block.matrix[start:], block.rows[start:]
        thresholds = minimum[text_rows][:, None]
        rows = None
        if directions is not None and projections is not None:
            bounds = projections[start:] @ _project(directions, page).T
            rows, columns = _nonzero(bounds >= thresholds - ROUNDING)
        if rows is None or len(rows) > MANY_PAIRS * matrix.shape[0] * len(keys):
            cosines = matrix @ page.T
            rows, columns = _nonzero(cosines >= thresholds)
            values = cosines[rows, columns]
        else:
            values = _multiply_pairs(matrix, rows, page, columns)
        text_rows, others = text_rows[rows], keys[columns]
        keep = values >= minimum[text_rows]
        keep &= positions[columns] < block.positions[text_rows]
        if not keep.any():
            continue
        best = _keep_best(
            _Pairs(
                np.concatenate([best.rows, text_rows[keep]]),
                np.concatenate([best.others, others[keep]]),
                np.concatenate([best.cosines, values[keep]]),
            ),
            limit,
        )
        full = np.flatnonzero(np.bincount(best.rows, minlength=len(minimum)) >= limit)
        # The last pair of a row is its lowest: `_keep_best` sorts by row, best first.
        minimum[full] = best.cosines[np.searchsorted(best.rows, full, side="right") - 1]
    return best


def _nonzero(mask: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Return rows and columns of true values, five times as fast as numpy for a matrix."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


def _merge_pages(pages: Iterator[tuple[Integers, Floats]]) -> Iterator[tuple[Integers, Floats]]:
    """Yield about `COLUMNS` vectors at once."""
    keys: list[Integers] = []
    vectors: list[Floats] = []
    for page_keys, page in pages:
        keys.append(page_keys)
        vectors.append(page)
        if sum(map(len, keys)) >= COLUMNS:
            yield np.concatenate(keys), np.concatenate(vectors)
            keys, vectors = [], []
    if keys:
        yield np.concatenate(keys), np.concatenate(vectors)


def _multiply_pairs(matrix: Floats, rows: Integers, page: Floats, columns: Integers) -> Floats:
    """Return the cosine of each pair."""
    values = np.empty(len(rows), np.float32)
    for first in range(0, len(rows), PAIRS):
        part = slice(first, first + PAIRS)
        values[part] = np.einsum("ij,ij->i", matrix[rows[part]], page[columns[part]])
    return values


def _keep_best(pairs: _Pairs, limit: int) -> _Pairs:
    """Return the best *limit* pairs of each row, each neighbour once, by row and best first."""
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
