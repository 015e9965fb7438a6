"""Vectors: can all that is kept of them be read, and is it as it was written?"""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.db.examine import broken_pages, examine
from crewmem.db.migrate import APPLICATION_ID, version
from crewmem.errors import CrewmemError
from crewmem.errors.database import (
    DatabaseDamagedError,
    DerivedDamagedError,
    ForeignDatabaseError,
    NotADatabaseError,
)
from crewmem.errors.disk import PathMissingError
from crewmem.health.advice import counted
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import (
    NO_HOME,
    NOT_YOURS,
    NOTHING_EMBEDDED,
    vectors_path,
)
from crewmem.vectors.store import VECTORS, VectorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from crewmem.health.scene import Scene

NAME = "vectors.usable"
CATEGORY = "vectors"

DAMAGED = (NotADatabaseError, DatabaseDamagedError, DerivedDamagedError)

DROP = "drop it: sweeps embed everything again"

MEND = "drop the pages that are damaged: sweeps embed what is lost again"


def look(scene: Scene) -> list[Finding]:
    """Let SQLite check the file, then read every page of it."""
    if scene.home is None:
        return [skipped(NO_HOME)]
    if not scene.is_operator:
        return [skipped(NOT_YOURS)]
    return [_of_file(scene, vectors_path(scene.home))]


def _of_file(scene: Scene, path: Path) -> Finding:
    try:
        timeout = scene.settings.busy_timeout
        return examine(path, lambda db: _read(scene, db), busy_timeout=timeout)
    except PathMissingError:
        return passed(NOTHING_EMBEDDED)
    except ForeignDatabaseError:
        observed = f"{path.name} was made by another program"
        return _finding(scene, Status.FAIL, observed, expected="move it away")
    except DAMAGED as error:
        fix = DROP if path.is_file() else ""
        return _finding(scene, Status.FAIL, f"it is damaged: {error}", fix=fix)
    except CrewmemError as error:
        return _finding(scene, Status.FAIL, str(error))


def _read(scene: Scene, db: apsw.Connection) -> Finding:
    found = version(db, APPLICATION_ID)
    if found > VECTORS.version:
        return _finding(scene, Status.WARN, "it was made by a newer crewmem")
    if found < VECTORS.version:
        return _finding(scene, Status.WARN, "it was made by an older crewmem", fix=DROP)
    if broken := broken_pages(db):
        return _finding(scene, Status.FAIL, f"it is damaged: {broken[0]}", fix=DROP)
    store = VectorStore(db)
    vectors = store.check_all()
    if store.damaged:
        reason = next(iter(store.damaged.values()))
        pages = counted(len(store.damaged), "damaged page", "damaged pages")
        observed = f"{pages} of vectors: {reason}"
        return _finding(scene, Status.FAIL, observed, fix=MEND)
    return passed(f"{vectors:,} vectors, as they were written")


def _finding(
    scene: Scene, status: Status, observed: str, *, fix: str = "", expected: str = ""
) -> Finding:
    home = scene.home
    writable = bool(fix) and home is not None and disk.is_writable(home)
    return Finding(
        status=status,
        observed=observed,
        expected=expected or "vectors that can be read; until then words alone find",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix=fix if writable else "",
        where=str(vectors_path(home)) if home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Drop what is damaged, or all; a sweep finds what has no vector then."""
    if scene.home is None:
        return
    if finding.fix == DROP:
        timeout = scene.settings.busy_timeout
        VectorStore.open_anew(scene.home, busy_timeout=timeout).close()
    else:
        _mend_pages(scene.home, scene.settings.busy_timeout)


def _mend_pages(home: Path, timeout: float) -> None:
    with closing(VectorStore.open_to_write(home, busy_timeout=timeout)) as store:
        for kept in store.spaces():
            if kept.vectors:
                store.check(kept.space)
                store.mend(kept.space)
