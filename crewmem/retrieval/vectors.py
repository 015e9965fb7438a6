"""The mathematics of unit vectors: what one is, how near two are, how codes bound it.

A cosine here is one number, however it is arrived at: the products of two float32
vectors summed in float64, then rounded to float32. So equal vectors tie exactly,
and every way to search finds the same.
"""

from __future__ import annotations

from crewmem.errors.backends import BadVectorError
from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Bytes = npt.NDArray[np.int8]
    Keys = npt.NDArray[np.int64]
    Places = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

LEVELS = 127
"""Codes are whole numbers from minus this to this."""

ROUNDING = 2.0**-24
"""How much one operation on float32 may be off, relative to its result."""

SHORTEST = 1e-12
"""A vector shorter than this has no direction worth the name."""


class Codes(NamedTuple):
    """Vectors in a quarter of their size, and how much was lost.

    Attributes:
        codes: ``(n, dim)``, a vector is about its code times its scale.
        scales: ``(n,)``
        slack: How much the cosine of a code with any unit vector may differ from the
            vector's, computed in float32, at most.
    """

    codes: Bytes
    scales: Floats
    slack: float


def unit(vectors: npt.ArrayLike, dim: int, keys: Sequence[int] | Keys = ()) -> Floats:
    """Return *vectors* as ``(n, dim)`` float32 of length one.

    Args:
        keys: What they are vectors of, to name a bad one.

    Raises:
        BadVectorError: If one is of another size, is no vector of finite numbers or
            has no direction.
    """
    try:
        given = np.asarray(vectors)
    except ValueError as error:  # rows of different sizes
        raise BadVectorError("they differ in size") from error
    if given.shape == (0,):
        return np.empty((0, dim), np.float32)
    if given.dtype.kind not in "fiu":
        raise BadVectorError(f"it is of {given.dtype}, not of numbers")
    if given.shape != (len(given), dim):
        raise BadVectorError(f"its shape is {given.shape}, not (n, {dim})")
    doubles = given.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((doubles * doubles).sum(axis=1))
    _refuse_first(~np.isfinite(lengths), "it is not finite", keys)
    _refuse_first(lengths < SHORTEST, "it is zero", keys)
    units: Floats = (doubles / lengths[:, None]).astype("<f4")
    return units


def _refuse_first(wrong: Mask, reason: str, keys: Sequence[int] | Keys) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise BadVectorError(reason, int(keys[at]) if len(keys) else None)


def quantised(vectors: Floats) -> Codes:
    """Return the codes of *vectors*, each on the scale of its largest number."""
    scales = (np.abs(vectors).max(axis=1) / np.float32(LEVELS)).astype("<f4")
    wholes = np.rint(vectors.astype(np.float64) / scales[:, None])
    codes = wholes.clip(-LEVELS, LEVELS).astype(np.int8)
    return Codes(codes, scales, off(vectors, codes, scales))


def off(vectors: Floats, codes: Bytes, scales: Floats) -> float:
    """Bound how much a cosine by *codes* is off: by the length of what was lost."""
    lost = vectors - codes * scales[:, None].astype(np.float64)
    most = float(np.sqrt((lost * lost).sum(axis=1)).max(initial=0))
    return most * (1 + 1e-6) + rounding(vectors.shape[1])


def rounding(dim: int) -> float:
    """Return by how much a product of unit vectors may be off, summed in float32.

    The textbook's bound for *dim* terms in whatever order, and some more for a scale,
    for lengths that are nearly one, and for the cosine, which is rounded as well.
    """
    return (dim + 16) * ROUNDING * 1.05


def cosines(vectors: Floats, others: Floats) -> Floats:
    """Return the cosine of each of *vectors* with *others*: with one, or each with its.

    Row by row, not by BLAS: there the place of a row decides how it is summed. A few
    rows at a time: in memory that is new each time they took ten times as long.
    """
    found = np.empty(len(vectors), np.float32)
    size = max(1, PRODUCTS_BYTES // (8 * vectors.shape[1]))
    products = np.empty((min(size, len(vectors)), vectors.shape[1]), np.float64)
    for at in range(0, len(vectors), size):
        here = slice(at, at + size)
        some = products[: len(vectors[here])]
        with_them = others if others.ndim == 1 else others[here]
        np.multiply(vectors[here], with_them, out=some, dtype=np.float64)
        found[here] = some.sum(axis=1)
    return found


PRODUCTS_BYTES = 200_000
"""Of what is summed at a time."""


def are_units(vectors: Floats) -> bool:
    """Tell whether *vectors* are of length one, as far as float32 can be."""
    with np.errstate(all="ignore"):
        return bool((np.abs(about(vectors, vectors) - 1) < NEARLY_ONE).all())


NEARLY_ONE = 1e-4
"""How much the square of the length of a vector of float32 may differ from one."""


def about(vectors: Floats, others: Floats) -> Floats:
    """Return the cosine of each of *vectors* with its other, off by `rounding`."""
    found: Floats = np.einsum("ij,ij->i", vectors, others)
    return found


def best_places(scores: Floats, count: int) -> Places:
    """Return the places of the *count* highest *scores* at least, in any order.

    More are returned where that is cheaper; all that tie with the least of them are.
    """
    width = max(1, len(scores) // (GROUPS * count))
    groups = len(scores) // width
    if groups <= count or width == 1:
        return _best_of_few(scores, count)
    tops = scores[: groups * width].reshape(groups, width).max(axis=1)
    least = np.partition(tops, groups - count)[groups - count]
    places: Places = np.flatnonzero(scores >= least)
    return places


GROUPS = 64
"""Scores are looked at in groups, this many times as many as are wanted: the highest
of each are few to sort, and hardly more than wanted are above the least chosen."""


def _best_of_few(scores: Floats, count: int) -> Places:
    if count >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    places: Places = np.flatnonzero(scores >= least)
    return places


def ranked(keys: Keys, scores: Floats) -> tuple[Keys, Floats]:
    """Return each key once, with its best score: best first, ties by key."""
    order = np.lexsort((-scores, keys))
    keys, scores = keys[order], scores[order]
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    keys, scores = keys[first], scores[first]
    order = np.lexsort((keys, -scores))
    return keys[order], scores[order]
