"""Space: will the next write fit?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.room import LOW, is_full, taken_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "home.space"
CATEGORY = "home"

COPIES = 2
"""How often all of memory should fit beside itself: a backup before the schema changes,
and an export of what it holds."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell how much can still be written where memory is, beside what that takes."""
    free = scene.host.free_bytes
    if free is None:
        return [skipped("there is nowhere to look")]
    taken = taken_bytes(scene.home)
    wanted = max(LOW, COPIES * taken)
    observed = f"{free / 1e6:,.0f} MB are free"
    if free >= wanted:
        return [passed(observed)]
    say = failed if is_full(free, taken) else warned
    holds = f", {COPIES} times what memory takes" if wanted > LOW else ""
    return [
        say(
            observed,
            expected=f"{wanted / 1e6:,.0f} MB or more{holds}",
            repair=_repair(scene),
            where=str(scene.home or scene.base or ""),
        )
    ]


def _repair(scene: Scene) -> str:
    """Return what makes room in a home; elsewhere only its owner knows."""
    if scene.home is None or not scene.home.is_dir():
        return ""
    return scene.command("memory", "prune")
