"""How good a ranking is. Pure.

A ranking is told as gains: for each place which of the relevant ones stands there, by
its number, or None. A relevant one that stands in several places, as a file of which
several passages were found, counts once where it is asked how many were found.
"""

from __future__ import annotations

from math import ceil, log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Gains = Sequence[int | None]

DEPTH = 10
"""Places that nDCG looks at."""


def gains(found: Sequence[str], relevant: Sequence[str]) -> list[int | None]:
    """Return for each of *found* which of *relevant* it is."""
    return [
        next((at for at, each in enumerate(relevant) if is_meant(each, ref)), None)
        for ref in found
    ]


def is_meant(wanted: str, ref: str) -> bool:
    """Tell whether *ref* is what *wanted* names: a file is any passage of it."""
    if wanted == ref:
        return True
    file, first, last = _lines(ref)
    if not last:
        return False
    wanted_file, wanted_first, wanted_last = _lines(wanted)
    if not wanted_last:
        return wanted == file
    return wanted_file == file and first <= wanted_last and wanted_first <= last


def _lines(ref: str) -> tuple[str, int, int]:
    """Return the file of *ref*, and the lines; 0 and 0 if it names none."""
    file, colon, lines = ref.rpartition(":")
    first, _, last = lines.partition("-")
    if not (colon and first.isdecimal() and (last or first).isdecimal()):
        return ref, 0, 0
    return file, int(first), int(last or first)


def precision(gains: Gains, k: int) -> float:
    """Return the part of *k* places that is relevant, be as many found or not."""
    return sum(each is not None for each in gains[:k]) / k


def recall(gains: Gains, relevant: int, k: int) -> float:
    """Return the part of the *relevant* ones that are in the first *k* places."""
    return len({*gains[:k]} - {None}) / relevant


def r_precision(gains: Gains, relevant: int) -> float:
    """Return precision at as many places as there are *relevant* ones."""
    return precision(gains, relevant)


def reciprocal_rank(gains: Gains) -> float:
    """Return 1 by the place of the first relevant one; 0 if there is none."""
    return next(
        (1 / place for place, each in enumerate(gains, 1) if each is not None), 0
    )


def ndcg(gains: Gains, relevant: int, depth: int = DEPTH) -> float:
    """Return the discounted gain of *depth* places, of what it could be at most."""
    seen: set[int] = set()
    gained = 0.0
    for place, each in enumerate(gains[:depth], 1):
        if each is not None and each not in seen:
            seen.add(each)
            gained += 1 / log2(place + 1)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(relevant, depth) + 1))
    return gained / ideal


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of *values* that *share* of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(ceil(round(share * len(ordered), 9)), 1) - 1]
