"""Vectors out of what a service answered, or why they are none. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crewmem.backends.embed import Vectors

SHORTEST = 1e-12
"""A vector that is shorter points nowhere."""


class NoVectorsError(ValueError):
    """An answer is no vectors; its text says why, as the end of a sentence."""


class Wanted(NamedTuple):
    """What an answer should be.

    Attributes:
        texts: How many vectors.
        dim: Numbers in each; None if any will do, as long as all have as many.
    """

    texts: int
    dim: int | None


def vectors(rows: object, wanted: Wanted) -> Vectors:
    """Return *rows*, a list of lists of numbers, as unit vectors: (n, dim) float32.

    Raises:
        NoVectorsError: If they are not as many as *wanted*, of another size, of other
            things than finite numbers, or point nowhere.
    """
    if not isinstance(rows, list):
        raise NoVectorsError("it holds no vectors")
    if len(rows) != wanted.texts:
        told = f"{wanted.texts:,} texts" if wanted.texts > 1 else "one text"
        raise NoVectorsError(f"{len(rows):,} vectors for {told}")
    dim = wanted.dim or _size(rows[0])
    for row in rows:
        if (size := _size(row)) != dim:
            raise NoVectorsError(f"a vector of {size:,} numbers, not {dim:,}")
        if not all(type(number) in NUMBERS for number in row):
            raise NoVectorsError("a vector holds what is no number")
    try:
        found = np.array(rows, np.float64)
    except OverflowError as error:
        raise NoVectorsError("a number is too large") from error
    return _unit(found)


NUMBERS = {int, float}
"""Types of numbers in JSON; true is not one."""


def _size(row: object) -> int:
    if not isinstance(row, list) or not row:
        raise NoVectorsError("a vector is none, or empty")
    return len(row)


def _unit(found: NDArray[np.float64]) -> Vectors:
    if not np.isfinite(found).all():
        raise NoVectorsError("a number is not finite")
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    if not np.isfinite(lengths).all():
        raise NoVectorsError("a number is too large")
    if lengths.min() < SHORTEST:
        raise NoVectorsError("a vector of zeros")
    return np.asarray(found / lengths[:, None], np.float32)
