"""The vectors nearest to a query: exactly, of whatever many."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import best_places, ranked
from crewmem.vectors.scan import NOWHERE, Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from crewmem.retrieval.vectors import Floats, Keys, Places
    from crewmem.vectors.scan import Slots

FIRST_LOOK = 32
"""Vectors that are looked at a second time at least, of which most are not needed."""

SCORES_BYTES = 64_000_000
"""Of the scores of the queries that share a pass: so memory stays as it is."""


class Nearest(NamedTuple):
    """What is nearest to a query, best first, ties by key.

    Attributes:
        cosines: Of the same, each the best of its key's vectors.
    """

    keys: Keys
    cosines: Floats


def nearest(
    slots: Slots,
    queries: Floats,
    count: int,
    *,
    owners: Collection[int] | None = None,
    look: int = 0,
) -> Iterator[Nearest]:
    """Yield for each of *queries* the *count* keys that are nearest to it.

    Args:
        owners: What does not belong to one of these is not there.
        look: How many are looked at a second time at least, `FIRST_LOOK` for 0; what is
            found is the same.
    """
    at_once = max(1, SCORES_BYTES // (4 * max(1, len(slots))))
    for first in range(0, len(queries), at_once):
        scan = Scan(slots, queries[first : first + at_once])
        if owners is not None:
            scan.keep_owners(owners)
        for query in range(len(scan.queries)):
            yield _best(scan, query, count, look or FIRST_LOOK)


def _best(scan: Scan, query: int, count: int, look: int) -> Nearest:
    """Return the *count* keys that are nearest to *query*.

    The last of those that a second look finds is a bound: what is not above it by
    its score and all that its code may be off needs no look.
    """
    scores = scan.scores[query]
    wanted = max(look, 2 * count)
    while True:
        places = best_places(scores, wanted)
        places = places[scores[places] > NOWHERE]
        found = _looked_at(scan, query, places)
        if len(found.keys) >= count or len(places) < wanted:
            break
        wanted *= 4  # many vectors of few keys
    if len(found.keys) >= count > 0:
        left = scores >= _below(float(found.cosines[count - 1]) - scan.slack)
        left[places] = False
        more = _looked_at(scan, query, np.flatnonzero(left))
        found = Nearest(
            *ranked(
                np.concatenate([found.keys, more.keys]),
                np.concatenate([found.cosines, more.cosines]),
            )
        )
    return Nearest(found.keys[:count], found.cosines[:count])


def _looked_at(scan: Scan, query: int, places: Places) -> Nearest:
    cosines = scan.cosines(query, places)
    readable = cosines > NOWHERE
    return Nearest(*ranked(scan.keys[places[readable]], cosines[readable]))


def _below(number: float) -> np.float32:
    """Return a float32 that is less than *number*."""
    below: np.float32 = np.nextafter(np.float32(number), NOWHERE)
    return below
