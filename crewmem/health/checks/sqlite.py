"""SQLite: is it current, and can it do what our databases need?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "runtime.sqlite"
CATEGORY = "runtime"

LEAST = (3, 54)
"""Those before 3.51.3 can corrupt a WAL database that two processes write; what we
need of full text came with 3.43; this is what `apsw` carries where it is installed."""

REPAIR = "python3 -m pip install --upgrade apsw"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Compare the version, and name what it cannot do."""
    version, lacking = scene.host.sqlite, scene.host.lacking
    if tuple(map(int, version.split("."))) < LEAST:
        least = ".".join(map(str, LEAST))
        return [
            failed(f"SQLite {version}", expected=f"SQLite {least}", repair=REPAIR),
        ]
    if lacking:
        what = ", ".join(lacking)
        return [
            failed(
                f"SQLite {version} without {what}",
                expected=f"SQLite with {what}",
                repair=REPAIR,
            )
        ]
    return [passed(f"SQLite {version} with FTS5, contentless_delete, JSON and WAL")]
