"""Opening crewmem.db, which holds what is true: to change it, or as it can be read.

A home that cannot be written is read as it lies, and nothing is left in it: not the
``-shm`` that SQLite wants beside a ``-wal``, nor a copy anywhere else. What a writer
had committed to the ``-wal`` before it was killed is read as well.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from crewmem import disk
from crewmem.db.connect import (
    BUSY_TIMEOUT,
    Mode,
    connect,
    connect_memory,
    explained,
    fetch_one,
)
from crewmem.db.migrate import TRUTH, migrate, newest, version
from crewmem.disk.failures import failure
from crewmem.errors import (
    DiskError,
    ExistsError,
    HomeMissingError,
    NotADatabaseError,
    NotWritableError,
    PathMissingError,
    SchemaTooNewError,
)

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

NAME = "crewmem.db"

LOCKS = "locks"

LOCK = f"{LOCKS}/crewmem.db"
"""Held while the database is made or migrated, by one at a time."""

WRITE_BITS = 0o222
"""Where nobody has one it is a frozen copy, even to root, whom no permission binds."""


def open_to_write(
    home: Path, *, busy_timeout: float = BUSY_TIMEOUT, schema: str = TRUTH
) -> apsw.Connection:
    """Open the database of *home* at the newest *schema*; make it if there is none.

    Raises:
        HomeMissingError: If there is no home.
        NotWritableError: If it may not be written.
        SchemaTooNewError: If a newer crewmem wrote it.
        ForeignDatabaseError: If another program did.
    """
    path = home / NAME
    _make(home, path)
    db = connect(path, Mode.WRITE, busy_timeout=busy_timeout)
    try:
        if _is_older(db, path, newest(schema)):
            _bring_up(home, db, busy_timeout, schema)
        db.execute("pragma synchronous = full")  # what was said to be done is done
    except BaseException:
        db.close()
        raise
    return db


def open_to_read(
    home: Path, *, busy_timeout: float = BUSY_TIMEOUT, schema: str = TRUTH
) -> apsw.Connection | None:
    """Open the database of *home* for reading; None if there is none, or an empty one.

    One that is older than *schema* is migrated: in place, or, where nothing may be
    written, in a copy in memory. A newer one is read as far as it is understood.

    Raises:
        NotReadableError: If it may not be read.
        ForeignDatabaseError: If another program wrote it.
    """
    path = home / NAME
    if not _is_there(path):
        return None
    writable = _may_be_written(home) and _may_be_written(path)
    mode = Mode.WRITE if writable else _mode_of_frozen(path)
    db = connect(path, mode, busy_timeout=busy_timeout)
    try:
        found = version(db)
        if 0 < found < newest(schema):
            older = db
            if writable:
                db = open_to_write(home, busy_timeout=busy_timeout, schema=schema)
            else:
                db = _migrated_copy(older, schema)
            older.close()
        db.execute("pragma query_only = on")
    except BaseException:
        db.close()
        raise
    if found:
        return db
    db.close()
    return None


def _make(home: Path, path: Path) -> None:
    """Make an empty database, its owner's alone, unless there is one."""
    try:
        root = disk.open_root(home)
    except PathMissingError as error:
        raise HomeMissingError(home) from error
    with root:
        if not disk.is_writable(home):
            raise NotWritableError(home, "permission denied, or it is read-only")
        if not _is_there(path):
            with suppress(ExistsError):  # somebody was quicker
                disk.create(root, NAME, b"")
        elif not _may(path, os.W_OK):  # SQLite would open it, and say so late
            raise NotWritableError(path, "permission denied")


def _is_older(db: apsw.Connection, path: Path, known: int) -> bool:
    """Tell whether *db* has to be migrated; refuse what is not ours to change."""
    found = version(db)
    if found > known:
        raise SchemaTooNewError(path, found, known)
    return found < known


def _bring_up(
    home: Path, db: apsw.Connection, busy_timeout: float, schema: str
) -> None:
    with disk.open_root(home) as root:
        disk.make_dirs(root, LOCKS)
        with disk.lock(root, LOCK, timeout=busy_timeout):
            fetch_one(db, "pragma journal_mode = wal")
            migrate(db, schema)


def _migrated_copy(db: apsw.Connection, schema: str) -> apsw.Connection:
    copy = connect_memory()
    with explained(db), copy.backup("main", db, "main") as running:
        running.step()
    migrate(copy, schema)
    return copy


def _is_there(path: Path) -> bool:
    """Tell whether the database is there; what is no file is no database.

    To open a FIFO would wait for whoever writes to it.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise failure(error, os.fspath(path), "read") from error
    if not stat.S_ISREG(mode):
        raise NotADatabaseError(path)
    return True


def _may_be_written(path: Path) -> bool:
    return bool(path.stat().st_mode & WRITE_BITS) and _may(path, os.W_OK)


def _may(path: str | Path, what: int) -> bool:
    """Tell whether this process may do *what* to *path*, as far as the system knows."""
    return os.access(path, what, effective_ids=os.access in os.supports_effective_ids)


def _mode_of_frozen(path: Path) -> Mode:
    """Decide how to open the database where nothing may be written.

    With locks where others may be writing: their ``-shm`` is there, and is not ours
    to change. Else as it lies, with the ``-wal`` if that holds anything.
    """
    real = os.path.realpath(path)  # what SQLite makes lies beside the file itself
    if _size(f"{real}-journal"):
        reason = "it was left in the middle of a change, and cannot be written"
        raise DiskError(path, "read", reason)
    beside = f"{real}-shm"
    if _may(beside, os.R_OK) and not _may(beside, os.W_OK):
        return Mode.READ
    return Mode.LEFT if _size(f"{real}-wal") else Mode.FROZEN


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - a string, as those beside it
    except OSError:
        return 0
