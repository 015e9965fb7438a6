"""Looking into a database without leaving a trace: no file, no lock, no stamp.

Even to read it, SQLite makes files beside a database in WAL mode. So it is read as it
lies, and what was seen counts only if nobody changed it meanwhile.
"""

from __future__ import annotations

import os

from crewmem.db.connect import BUSY_TIMEOUT, Mode, connect, explained, fetch
from crewmem.disk.failures import failure
from crewmem.errors import CrewmemError
from crewmem.errors.database import DatabaseDamagedError
from crewmem.errors.disk import DiskError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeVar

    import apsw

    Answer = TypeVar("Answer")

TRIES = 3
"""How often a database is read without locks while others change it."""

MOST_TROUBLES = 10
"""Troubles that are told of one database: more say nothing more."""


def examine(
    path: Path,
    look: Callable[[apsw.Connection], Answer],
    *,
    busy_timeout: float = BUSY_TIMEOUT,
) -> Answer:
    """Return what *look* sees in the database at *path*, which may be in use.

    Where others go on changing it, their ``-shm`` is there, and it is read with locks.

    Raises:
        PathMissingError: If there is none.
        NotADatabaseError: If the file is something else.
        DiskError: If it was left in the middle of a change.
    """
    _require(path)
    for _ in range(TRIES):
        before = _stamps(path)
        if _size(f"{path}-journal"):
            raise DiskError(path, "read", "it was left in the middle of a change")
        mode = Mode.LEFT if _size(f"{path}-wal") else Mode.FROZEN
        try:
            answer = _looked(path, mode, look, busy_timeout)
        except CrewmemError:
            if _stamps(path) == before:
                raise
            continue
        if _stamps(path) == before:
            return answer
    return _looked(path, Mode.READ, look, busy_timeout)


def _require(path: Path) -> None:
    try:
        path.stat()
    except OSError as error:
        raise failure(error, str(path), "read") from error


def _looked(
    path: Path,
    mode: Mode,
    look: Callable[[apsw.Connection], Answer],
    busy_timeout: float,
) -> Answer:
    db = connect(path, mode, busy_timeout=busy_timeout)
    try:
        with explained(db):
            return look(db)
    finally:
        db.close()


def broken_pages(db: apsw.Connection) -> list[str]:
    """Return what SQLite's own check finds wrong in *db*; none if nothing is."""
    try:
        rows = fetch(db, f"pragma quick_check({MOST_TROUBLES})")
    except DatabaseDamagedError as error:  # too much so to be checked
        return [error.reason]
    lines = [line for (text,) in rows for line in str(text).splitlines()]
    return [line for line in lines if line != "ok" and not line.startswith("***")]


def dangling(db: apsw.Connection) -> list[str]:
    """Return the rows of *db* that name a row which is not there."""
    rows = fetch(db, "pragma foreign_key_check")[:MOST_TROUBLES]
    return [
        f"{table}, row {row}: no such row in {parent}"
        if row is not None
        else f"{table}: no such row in {parent}"
        for table, row, parent, _ in rows
    ]


def readable(db: apsw.Connection) -> str:
    """Tell how much of *db*, which is damaged, can be read."""
    try:
        names = [
            str(name)
            for (name,) in fetch(
                db,
                """
                select name
                  from sqlite_schema
                 where type = 'table' and name not like 'sqlite_%'
                 order by name
                """,
            )
        ]
    except CrewmemError:
        return "none of it can be read"
    return "; ".join(f"{name}: {_rows(db, name)}" for name in names)


def _rows(db: apsw.Connection, table: str) -> str:
    quoted = table.replace('"', '""')
    count = 0
    try:
        with explained(db):
            for _ in db.execute(f'select * from "{quoted}"'):  # noqa: S608 - quoted
                count += 1
    except CrewmemError:
        return f"{count:,} rows can be read, and no more"
    return f"all {count:,} rows can be read"


def _stamps(path: Path) -> list[tuple[int, int, int] | None]:
    return [_stamp(f"{path}{end}") for end in ("", "-wal")]


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116 - a string, as those beside it
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _size(path: str) -> int:
    return (_stamp(path) or (0,))[0]
