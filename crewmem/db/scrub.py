"""Leaving nothing of what was deleted, in a database and in older ones beside it."""

from __future__ import annotations

from contextlib import closing

from crewmem.db.connect import BESIDE, Mode, connect, explained, filename
from crewmem.errors import DataError
from crewmem.errors.database import DatabaseBusyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

OLDER = "crewmem.db.before-*"
"""What the older databases of a home are called: one is there for each step of the
schema, and for each import that replaced what was there."""

AGAIN = "All else was erased: remove this file, or put it right, and erase again."
"""What helps where one of them cannot be read."""


def scrub(db: apsw.Connection) -> None:
    """Leave nothing in the file of *db* but what it says.

    Of what was deleted, pages and the ``-wal`` may hold pieces: the file is written
    anew, and the ``-wal`` is emptied.

    Raises:
        DatabaseBusyError: If somebody reads it for too long; it can be done again.
    """
    with explained(db):
        db.execute("vacuum")
        ((busy, *_),) = db.execute("pragma wal_checkpoint(truncate)").fetchall()
    if busy:
        from pathlib import Path

        raise DatabaseBusyError(Path(filename(db)))


def older(home: Path, mode: Mode = Mode.WRITE) -> Iterator[apsw.Connection]:
    """Yield each of the older databases of *home*, open until the next is asked for.

    Raises:
        DataError: If one is damaged, once all others were yielded.
    """
    trouble: DataError | None = None
    for path in sorted(home.glob(OLDER)):
        if path.name.endswith(BESIDE):
            continue  # SQLite's own, of somebody who was killed
        try:
            opened = connect(path, mode)
        except DataError as error:
            trouble = trouble or error
            continue
        with closing(opened) as db:
            yield db
    if trouble:
        trouble.hint = AGAIN
        raise trouble
