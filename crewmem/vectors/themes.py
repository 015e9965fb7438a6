"""Whether vectors gather around themes: how near each is to its nearest, and to all."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np
from crewmem.vectors.nearest import nearest
from crewmem.vectors.scan import once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy.typing as npt

    from crewmem.retrieval.vectors import Keys, Mask
    from crewmem.vectors.nearest import Nearest
    from crewmem.vectors.scan import Slots

SAMPLE = 64
"""Keys whose nearest are looked for; they share one pass over all vectors."""

TOP = 3
"""Of each of them: how many."""

LOOK = 2 * (TOP + 1)
"""Vectors that are looked at a second time at least: a lone question that asks for few
looks at more at once, of sixty-four that took a third of their time."""


class Themes(NamedTuple):
    """How vectors lie among each other.

    Attributes:
        sampled: Keys that were looked at.
        near: Mean cosine of these to their `TOP` nearest others; None without others.
        every: Mean cosine of all pairs of vectors; None without any.
    """

    sampled: int
    near: float | None
    every: float | None


def themes(slots: Slots, owners: Collection[int]) -> Themes:
    """Return how the vectors of *owners* lie among each other.

    The sample is of the keys with the lowest hashes, so that it stays as it is while
    they are there. The mean of all pairs is the squared length of the mean vector,
    which is taken from the codes: what they are off cancels out.
    """
    keys, of = slots.heads()
    mine = np.isin(of, np.array([*owners], np.int32))
    sample = lowest(once(keys[mine]), SAMPLE)
    places = np.flatnonzero(mine & np.isin(keys, sample))
    read, vectors = slots.read(places)
    found = nearest(slots, vectors, TOP + 1, owners=owners, look=LOOK)
    near = _means(keys[places[read]], found) if len(read) else []
    return Themes(
        sampled=len(near),
        near=float(np.mean(near)) if near else None,
        every=_mean_of_pairs(slots, mine),
    )


def lowest(keys: Keys, count: int) -> Keys:
    """Return the *count* of *keys* that have the lowest hashes, ascending."""
    if len(keys) <= count:
        return keys
    return np.sort(keys[np.argpartition(_hashes(keys), count)[:count]])


def _hashes(keys: Keys) -> npt.NDArray[np.uint64]:
    """Return a number for each of *keys* that looks drawn (SplitMix64, Steele 2014)."""
    mixed = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _means(keys: Keys, found: Iterable[Nearest]) -> list[float]:
    """Return the mean cosine of each key to its `TOP` nearest others.

    A key with several vectors is as near as the nearest of them.
    """
    others: dict[int, dict[int, float]] = {}
    for key, near in zip(keys.tolist(), found, strict=True):
        best = others.setdefault(key, {})
        for other, cosine in zip(
            near.keys.tolist(), near.cosines.tolist(), strict=True
        ):
            if other != key:
                best[other] = max(cosine, best.get(other, cosine))
    tops = (sorted(each.values(), reverse=True)[:TOP] for each in others.values())
    return [sum(top) / len(top) for top in tops if top]


def _mean_of_pairs(slots: Slots, mine: Mask) -> float | None:
    """Return the squared length of the mean of the vectors that are *mine*."""
    total = np.zeros(slots.dim)
    for here, page in slots.codes():
        rows = mine[here]
        total += (page.scales * rows) @ page.codes.astype(np.float32)
    count = int(mine.sum())
    return float(total @ total) / count**2 if count else None
