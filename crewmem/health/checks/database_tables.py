"""crewmem.db: does it have every table, column, index and trigger?"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from shlex import join

from crewmem import disk
from crewmem.db import truth
from crewmem.db.made import lacks, make
from crewmem.health.finding import Finding, Status, passed
from crewmem.health.inside import of_truth, truth_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.db.made import Lack
    from crewmem.health.scene import Scene

NAME = "database.tables"
CATEGORY = "database"

SIDECARS = ("-wal", "-shm")
"""What SQLite calls what it has beside a database."""

ASIDE = ".damaged"
"""What is put behind the name of a database in whose place another comes."""


def look(scene: Scene) -> list[Finding]:
    """Compare what is in it with what the steps of the schema make."""

    def compared(db: apsw.Connection) -> list[Finding]:
        found = lacks(db)
        if not (found and scene.home):
            return [passed("it has every table, column, index and trigger")]
        path = truth_path(scene.home)
        lost = [each for each in found if not each.is_safe]
        safe = [each for each in found if each.is_safe]
        return [
            *([_lost(path, lost)] if lost else []),
            *([_made_anew(scene, scene.home, safe)] if safe else []),
        ]

    return of_truth(scene, compared)


def _told(found: list[Lack]) -> str:
    return f"it lacks {', '.join(map(str, found))}"


def _lost(path: Path, found: list[Lack]) -> Finding:
    """Say that something is gone that only a backup has."""
    backup = _backup(path)
    beside = f": {backup.name}, or what is newer" if backup else ""
    return Finding(
        status=Status.FAIL,
        observed=_told(found),
        expected=f"a database that is whole: restore it from a backup{beside}",
        repair=_put_back(path, backup) if backup else "",
        where=str(path),
    )


def _backup(path: Path) -> Path | None:
    """Return the newest copy that was made beside it before its schema changed.

    Its name ends with the step that it was made before; that of one that an import
    made does not.
    """
    start = f"{path.name}.before-"
    steps = {
        int(step): each
        for each in path.parent.glob(f"{start}*")
        if (step := each.name.removeprefix(start)).isdecimal() and each.is_file()
    }
    return steps[max(steps)] if steps else None


def _put_back(path: Path, backup: Path) -> str:
    """Spell what puts *backup* in the place of *path*, which is kept aside.

    What SQLite has beside it goes with it: it is of no other database.
    """
    ends = [end for end in ("", *SIDECARS) if Path(f"{path}{end}").exists()]
    moved = [["mv", f"{path}{end}", f"{path}{ASIDE}{end}"] for end in ends]
    return " && ".join(map(join, [*moved, ["cp", "-p", str(backup), str(path)]]))


def _made_anew(scene: Scene, home: Path, found: list[Lack]) -> Finding:
    writable = disk.is_writable(home)
    return Finding(
        status=Status.FAIL,
        observed=_told(found),
        expected="all that the steps of its schema make",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="make it anew; a table is empty then" if writable else "",
        where=str(truth_path(home)),
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - all is made at once
    """Make anew what can be."""
    if scene.home:
        timeout = scene.settings.busy_timeout
        with closing(truth.open_to_write(scene.home, busy_timeout=timeout)) as db:
            make(db)
