"""crewmem.db: does every row name rows that are there?"""

from __future__ import annotations

from crewmem.db import truth
from crewmem.db.examine import dangling, examine
from crewmem.errors import DataError
from crewmem.errors.disk import NotReadableError, PathMissingError
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped
from crewmem.health.inside import NO_DATABASE, NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "database.references"
CATEGORY = "database"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Let SQLite check the foreign keys."""
    if scene.home is None:
        return [skipped(NO_HOME)]
    path = scene.home / truth.NAME
    try:
        found = examine(path, dangling)
    except PathMissingError:
        return [skipped(NO_DATABASE)]
    except (DataError, NotReadableError):
        return [skipped("it cannot be read; database.schema says why")]
    if not found:
        return [passed("every row names rows that are there", where=str(path))]
    return [
        failed(
            "; ".join(found),
            expected="rows that name rows that are there: restore it from a backup",
            where=str(path),
        )
    ]
