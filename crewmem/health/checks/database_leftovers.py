"""crewmem.db: is there anything beside it that is not in it, and cannot get there?"""

from __future__ import annotations

from crewmem import disk
from crewmem.db import truth
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_DATABASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "database.leftovers"
CATEGORY = "database"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Look for changes beside it that nobody will take in."""
    if scene.home is None or not (scene.home / truth.NAME).is_file():
        return [skipped(NO_DATABASE)]
    path = scene.home / truth.NAME
    if size := _size(path, "-journal"):
        return [
            failed(
                f"{path.name}-journal holds {size:,} bytes: it was left in the middle "
                "of a change",
                expected="nothing beside it; a command that writes takes it back",
                where=str(path),
            )
        ]
    size = _size(path, "-wal")
    if size and not disk.is_writable(scene.home):
        return [
            warned(
                f"{path.name}-wal holds {size:,} bytes, and the home cannot be written",
                expected="a copy that was made when nobody was writing",
                where=str(path),
            )
        ]
    return [passed("nothing is left beside it", where=str(path))]


def _size(path: Path, end: str) -> int:
    try:
        return path.with_name(path.name + end).stat().st_size
    except FileNotFoundError:
        return 0
