"""Bounds of cosines that cost less than cosines.

Vectors are projected on the few directions in which they differ most. Of two vectors
the projections tell their part of the cosine; by Cauchy and Schwarz the rest is the
product of the lengths of what is left over, at most. That length is one more number
beside the projection, so that one product is the bound.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import rounding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.retrieval.vectors import Floats

SAMPLE = 4_096
"""Vectors by which the directions are chosen. With fewer that are to be compared, what
choosing costs is not won back."""

UNSEEN = 4
"""One in so many of the sample tells how many directions cost least: those by which
the directions are chosen look better than they are."""

DIRECTIONS = 32, 48, 64, 96, 128, 160, 192, 256
"""How many directions are tried on the sample."""

PAIR_COST = 12_500
"""What the cosine of one pair costs, in products of a multiplication of matrices: a
quarter of a microsecond beside a fiftieth of a nanosecond."""

THINNING = 0.3
"""What is to be added where nearly all pairs are near, beside their full product."""


class Projection(NamedTuple):
    """How vectors are compared by a bound.

    Attributes:
        basis: ``(dim, k)``; None if they are compared in full.
        slack: By how much the computed bound may be below a cosine.
        rest: By how much the square of what is left over may be computed too small.
    """

    basis: Floats | None
    slack: float
    rest: float = 0.0

    def of(self, vectors: Floats) -> Floats:
        """Return vectors whose products bound the cosines of *vectors*."""
        if self.basis is None:
            return vectors
        projected = np.empty((len(vectors), self.basis.shape[1] + 1), np.float32)
        inside = projected[:, :-1]
        np.matmul(vectors, self.basis, out=inside)
        rest = 1 - np.einsum("ij,ij->i", inside, inside)
        projected[:, -1] = np.sqrt(rest.clip(min=0) + self.rest)
        return projected


def in_full(dim: int) -> Projection:
    """Return the projection that leaves nothing out."""
    return Projection(None, rounding(dim))


def chosen(sample: Floats, least: float, rows: int) -> Projection:
    """Return the projection that is likely to cost least on what *sample* is of.

    Args:
        least: Pairs whose bound is below are done with.
        rows: How many vectors share the projection of one that they are compared with.
    """
    dim = sample.shape[1]
    seen = np.delete(sample, slice(None, None, UNSEEN), axis=0)
    unseen = sample[::UNSEEN]
    _, directions = np.linalg.eigh((seen.T @ seen).astype(np.float64))
    directions = directions[:, ::-1]  # those that tell most first
    tried = [in_full(dim)] + [
        _projection(directions[:, :count].astype(np.float32))
        for count in DIRECTIONS
        if count < dim / 2
    ]
    return min(tried, key=lambda each: _cost(each, unseen, least, rows))


def _projection(basis: Floats) -> Projection:
    """Return the projection on *basis*, whose columns are nearly orthonormal.

    What is computed in its place is off in two ways, which are bounded: the columns
    are not quite orthonormal, and each of the sums is rounded.
    """
    dim, count = basis.shape
    doubles = basis.astype(np.float64)
    off = float(np.linalg.norm(doubles.T @ doubles - np.eye(count)))
    off += count**0.5 * rounding(dim)
    return Projection(basis, rounding(dim) + 3 * off, 2 * off + rounding(count))


def _cost(projection: Projection, sample: Floats, least: float, rows: int) -> float:
    """Return about what one pair costs, in products of numbers."""
    dim = sample.shape[1]
    projected = projection.of(sample)
    near = np.count_nonzero(projected @ projected.T >= least) - len(sample)
    pairs = len(sample) * (len(sample) - 1) or 1
    width = projected.shape[1]
    if projection.basis is None:
        return float(width + min(PAIR_COST * near / pairs, THINNING * dim))
    projecting = dim * width / rows
    looking = min(PAIR_COST * near / pairs, (1 + THINNING) * dim)
    return float(width + projecting + looking)
