"""Space: will the next write fit?"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem.db import truth
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.vectors import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "home.space"
CATEGORY = "home"

DATABASES = (truth.NAME, f"{truth.NAME}-wal", FILE)

FULL, LOW = 20_000_000, 100_000_000
"""Bytes under which a write of any command may fail, and a job of the night, whatever
the size of memory: a file, its versions, an index."""

COPIES = 2
"""How often all of memory should fit beside itself: a backup before the schema changes,
and an export of what it holds."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell how much can still be written where memory is, beside what that takes."""
    free = scene.host.free_bytes
    if free is None:
        return [skipped("there is nowhere to look")]
    taken = _taken(scene)
    wanted = max(LOW, COPIES * taken)
    observed = f"{free / 1e6:,.0f} MB are free"
    if free >= wanted:
        return [passed(observed)]
    say = failed if free < max(FULL, taken) else warned
    holds = f", {COPIES} times what memory takes" if wanted > LOW else ""
    return [
        say(
            observed,
            expected=f"{wanted / 1e6:,.0f} MB or more{holds}",
            repair=_repair(scene),
            where=str(scene.home or scene.base or ""),
        )
    ]


def _taken(scene: Scene) -> int:
    """Return how many bytes the databases of the home take: what is copied whole."""
    sizes = []
    for name in DATABASES if scene.home else ():
        with suppress(OSError):
            sizes.append(os.stat(f"{scene.home}/{name}").st_size)  # noqa: PTH116 - names
    return sum(sizes)


def _repair(scene: Scene) -> str:
    """Return what makes room in a home; elsewhere only its owner knows."""
    if scene.home is None or not scene.home.is_dir():
        return ""
    return scene.command("memory", "prune")
