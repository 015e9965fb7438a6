"""Waiting until the stamps of what just changed can be trusted."""

from __future__ import annotations

import time

from crewmem.files.listing import latest
from crewmem.files.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.files.walk import Found

TICK_NS = 20_000_000
"""How old a change must be, in nanoseconds, for its stamp to tell it from the next.

File systems stamp by a clock that ticks every 4 or 10 ms: of two writes in one tick
the second leaves no trace. git looks at such files again; waiting is simpler, and
a person does not notice it.
"""


def settled(
    root: int, found: Sequence[Found], known: Mapping[str, bytes]
) -> Sequence[Found]:
    """Return the files below *root*, with stamps that tell them from later ones.

    Args:
        found: The directory as it was just walked.
        known: The listings that the index has.
    """
    age = time.time_ns() - newest(found, known)
    if not 0 <= age < TICK_NS:
        return found
    time.sleep((TICK_NS - age) / 1e9)
    return list(walk(root))


def newest(found: Sequence[Found], known: Mapping[str, bytes]) -> int:
    """Return the latest ctime, in nanoseconds, in directories that *known* lacks."""
    changed = (each.listing for each in found if known.get(each.path) != each.listing)
    return max(map(latest, changed), default=0)
