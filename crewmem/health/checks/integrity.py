"""crewmem.db: is it whole?"""

from __future__ import annotations

from crewmem.db import truth
from crewmem.db.examine import broken_pages, examine, readable
from crewmem.errors import DataError
from crewmem.errors.database import DatabaseDamagedError
from crewmem.errors.disk import NotReadableError, PathMissingError
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped
from crewmem.health.inside import NO_DATABASE, NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "database.integrity"
CATEGORY = "database"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Let SQLite check it; of one that is damaged, tell how much can be read."""
    if scene.home is None:
        return [skipped(NO_HOME)]
    path = scene.home / truth.NAME
    try:
        broken, left = examine(path, _seen)
    except PathMissingError:
        return [skipped(NO_DATABASE)]
    except DatabaseDamagedError as error:
        broken, left = [error.reason], ""
    except (DataError, NotReadableError):
        return [skipped("it cannot be read; database.schema says why")]
    if not broken:
        return [passed("SQLite finds nothing wrong in it", where=str(path))]
    return [
        failed(
            "; ".join([*broken, *([left] if left else [])]),
            expected="a database that is whole: restore it from a backup",
            where=str(path),
        )
    ]


def _seen(db: apsw.Connection) -> tuple[list[str], str]:
    broken = broken_pages(db)
    return broken, readable(db) if broken else ""
