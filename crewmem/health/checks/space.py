"""Space: will the next write fit?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned

if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "home.space"
CATEGORY = "home"

FULL = 50_000_000
"""Bytes under which a write of any command may fail: a file, its versions, an index."""

LOW = 500_000_000
"""Bytes under which a job of the night may fail: a backup of a database of years."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell how much can still be written where memory is."""
    free = scene.host.free_bytes
    if free is None:
        return [skipped("there is nowhere to look")]
    observed = f"{free / 1e6:,.0f} MB are free"
    if free >= LOW:
        return [passed(observed)]
    say = failed if free < FULL else warned
    return [say(observed, expected=f"{LOW / 1e6:,.0f} MB or more")]
