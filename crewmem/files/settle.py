"""Waiting until the stamps of what just changed can be trusted."""

from __future__ import annotations

import sys
import time

from crewmem.files.listing import latest
from crewmem.files.signs import signed_at
from crewmem.files.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.files.signs import Known
    from crewmem.files.walk import Found

TICK_NS = 20_000_000
"""How old a change must be, in nanoseconds, for its stamp to tell it from the next.

File systems stamp by a clock that ticks every 4 or 10 ms: of two writes in one tick
the second leaves no trace. git looks at such files again; waiting is simpler, and
a person does not notice it. Where the system says how that clock ticks, two ticks
are enough.
"""

LEAST_NS = 8_000_000
"""The same where the clock is said to be finer: the disk may be another system's."""

COARSE = 5
"""Of Linux: the clock that files are stamped by, which Python has no name for."""


def settled(
    root: int, found: Sequence[Found], known: Known, walked: int
) -> Sequence[Found]:
    """Return the files below *root*, with stamps that tell them from later ones.

    Directories that themselves changed as lately lose their sign: that their names are
    read once more is cheaper than to wait.

    Args:
        found: The directory as it was walked.
        known: What was known of it before.
        walked: When that walk began, in nanoseconds since 1970.
    """
    tick, changed = _tick_ns(), newest(found, known.listings)
    if 0 <= walked - changed < tick:
        time.sleep(max(tick - (time.time_ns() - changed), 0) / 1e9)
        walked, found = time.time_ns(), list(walk(root, known))
    return [
        each if walked - signed_at(each.sign) >= tick else each._replace(sign=b"")
        for each in found
    ]


def _tick_ns() -> int:
    """Return how old a change must be here, at most `TICK_NS`."""
    if not sys.platform.startswith("linux"):
        return TICK_NS
    try:
        resolution = time.clock_getres(COARSE)
    except OSError:
        return TICK_NS
    return min(max(int(2e9 * resolution), LEAST_NS), TICK_NS)


def newest(found: Sequence[Found], known: Mapping[str, bytes]) -> int:
    """Return the latest ctime, in nanoseconds, in directories that *known* lacks."""
    changed = (each.listing for each in found if known.get(each.path) != each.listing)
    return max(map(latest, changed), default=0)
