"""crewmem.db: is it there, ours, and of this version?"""

from __future__ import annotations

from crewmem import disk
from crewmem.db import truth
from crewmem.db.examine import examine
from crewmem.db.migrate import TRUTH, newest, version
from crewmem.errors import DataError
from crewmem.errors.disk import NotReadableError, PathMissingError
from crewmem.health.finding import Finding, Status, failed, passed, skipped, warned
from crewmem.health.inside import NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.health.scene import Scene

NAME = "database.schema"
CATEGORY = "database"


def look(scene: Scene) -> list[Finding]:
    """Compare the version of its schema with the newest there is."""
    if scene.home is None or not scene.home.is_dir():
        return [skipped(NO_HOME)]
    path = scene.home / truth.NAME
    try:
        found = examine(path, version)
    except PathMissingError:
        return [_missing(scene, path)]
    except (DataError, NotReadableError) as error:
        return [
            failed(
                str(error),
                expected=error.hint or "a database of crewmem",
                where=str(path),
            )
        ]
    return [_compared(scene, scene.home, path, found)]


def _missing(scene: Scene, path: Path) -> Finding:
    return warned(
        f"there is no {path.name}: nothing is registered",
        expected="a database",
        repair=scene.command("init"),
        where=str(path),
    )


def _compared(scene: Scene, home: Path, path: Path, found: int) -> Finding:
    known = newest(TRUTH)
    if found == known:
        return passed(f"schema {found}, the newest", where=str(path))
    if found > known:
        return failed(
            f"schema {found}: a newer crewmem wrote it; this one knows up to {known}",
            expected="a crewmem that is as new; until then nothing is written",
            repair="python3 -m pip install --upgrade crewmem",
            where=str(path),
        )
    writable = disk.is_writable(home)
    observed = f"schema {found} of {known}"
    return Finding(
        status=Status.WARN,
        observed=observed if found else f"{path.name} is empty: nothing is registered",
        expected=f"schema {known}; the next command that writes brings it up to date",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="bring it up to date, with a backup beside it" if writable else "",
        where=str(path),
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Bring it up to date, as the next write would."""
    if scene.home:
        busy_timeout = scene.settings.busy_timeout
        truth.open_to_write(scene.home, busy_timeout=busy_timeout).close()
