"""Looking into the databases of the home for checks, without a trace.

Where one is not there, or cannot be read, that is the finding of the checks of the
database itself; those of what is in it have nothing to look at, and say so.
"""

from __future__ import annotations

from crewmem.db import truth
from crewmem.db.examine import examine
from crewmem.db.migrate import APPLICATION_ID, TRUTH, newest, version
from crewmem.episodes.anchor import is_foreign
from crewmem.episodes.store import Episodes
from crewmem.errors import DataError, RefusedError
from crewmem.errors.disk import NotReadableError, PathMissingError
from crewmem.health.finding import passed, skipped
from crewmem.health.remembered import vectors_of
from crewmem.vectors.store import VECTORS, VectorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

    Findings = list[Finding]

NO_HOME = "there is no home to look at"

NO_TREES = "there is no memory directory to look at"

NO_DATABASE = "there is no database to look at"

NOT_YOURS = "it is about all of the home, for operators to look at"

NOTHING_EMBEDDED = "nothing is embedded yet"

UNREADABLE = (DataError, NotReadableError, RefusedError)
"""What keeps a database from being read."""


def of_truth(
    scene: Scene,
    look: Callable[[apsw.Connection], Findings],
    *,
    by_all: bool = False,
) -> Findings:
    """Return what *look* finds in crewmem.db, or why there is nothing to find.

    Unless it is *by_all*, only operators look.
    """
    if scene.home is None:
        return [skipped(NO_HOME)]
    if not (by_all or scene.is_operator):
        return [skipped(NOT_YOURS)]

    def current(db: apsw.Connection) -> Findings:
        if version(db) != newest(TRUTH):
            return [skipped("it is of another version; database.schema says so")]
        return look(db)

    try:
        timeout = scene.settings.busy_timeout
        return examine(scene.home / truth.NAME, current, busy_timeout=timeout)
    except PathMissingError:
        return [skipped(NO_DATABASE)]
    except UNREADABLE:
        return [skipped("it cannot be read; the checks of the database say why")]


def of_vectors(
    scene: Scene,
    look: Callable[[VectorStore], Findings],
    *,
    by_all: bool = False,
) -> Findings:
    """Return what *look* finds in vectors.sqlite, or why there is nothing to find."""
    if scene.home is None:
        return [skipped(NO_HOME)]
    if not (by_all or scene.is_operator):
        return [skipped(NOT_YOURS)]

    def current(db: apsw.Connection) -> Findings:
        if version(db, APPLICATION_ID) != VECTORS.version:
            return [passed(NOTHING_EMBEDDED)]
        return look(VectorStore(db))

    try:
        timeout = scene.settings.busy_timeout
        return examine(vectors_path(scene.home), current, busy_timeout=timeout)
    except PathMissingError:
        return [passed(NOTHING_EMBEDDED)]
    except UNREADABLE:
        return [skipped("it cannot be read; vectors.usable says why")]


def vectors_are_foreign(scene: Scene, db: apsw.Connection, workspace: str) -> bool:
    """Tell whether the vectors of *workspace* are of another journal than *db* has."""
    if scene.home is None:
        return False
    timeout = scene.settings.busy_timeout
    vectors = vectors_of(scene.home, workspace, busy_timeout=timeout)
    return is_foreign(Episodes(db), vectors.places, workspace)


def vectors_path(home: Path) -> Path:
    """Return where the vectors of *home* are."""
    return home / VECTORS.name


def truth_path(home: Path) -> Path:
    """Return where the truth of *home* is."""
    return home / truth.NAME
