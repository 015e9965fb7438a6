"""Opening crewmem.db, which holds what is true: to change it, or as it can be read.

A home that cannot be written is read as it lies, and nothing is left in it: not the
``-shm`` that SQLite wants beside a ``-wal``, nor a copy anywhere else. What a writer
had committed to the ``-wal`` before it was killed is read as well.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem.db.access import connect_to_read, is_there, may
from crewmem.db.connect import (
    BUSY_TIMEOUT,
    Mode,
    connect,
    connect_memory,
    explained,
    fetch_one,
)
from crewmem.db.migrate import TRUTH, migrate, newest, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import apsw

NAME = "crewmem.db"

LOCKS = "locks"

LOCK = f"{LOCKS}/crewmem.db"
"""Held while the database is made or migrated, by one at a time."""


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
    make_empty(home, NAME)
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
    home: Path,
    *,
    busy_timeout: float = BUSY_TIMEOUT,
    schema: str = TRUTH,
    warn: Callable[[str], None] | None = None,
) -> apsw.Connection | None:
    """Open the database of *home* for reading; None if there is none, or an empty one.

    One that is older than *schema* is migrated: in place, or, where nothing may be
    written, in a copy in memory. A newer one is read as far as it is understood, and
    *warn* is told.

    Raises:
        NotReadableError: If it may not be read.
        ForeignDatabaseError: If another program wrote it.
    """
    path = home / NAME
    if not is_there(path):
        return None
    db, mode = connect_to_read(path, busy_timeout=busy_timeout)
    try:
        found = version(db)
        if 0 < found < newest(schema):
            older = db
            if mode is Mode.WRITE:
                db = open_to_write(home, busy_timeout=busy_timeout, schema=schema)
            else:
                db = _migrated_copy(older, schema)
            older.close()
        db.execute("pragma query_only = on")
    except BaseException:
        db.close()
        raise
    if not found:
        db.close()
        return None
    if warn and (warning := newer(path, found)):
        warn(warning)
    return db


def to_write(db: apsw.Connection) -> apsw.Connection:
    """Let *db* be written, which was opened to be read: another takes milliseconds.

    Where nothing may be written it was opened so that it cannot be.
    """
    db.pragma("query_only", False)
    return db


def newer(path: Path, found: int) -> str:
    """Say of the database at *path*, of schema *found*, that it is too new; else ""."""
    known = newest(TRUTH)
    if found <= known:
        return ""
    return (
        f"{path} is of a newer crewmem: schema {found}, and this one knows up to "
        f"{known}; what it says is read as far as it is understood"
    )


def make_empty(home: Path, name: str) -> None:
    """Make an empty database in *home*, its owner's alone, unless there is one.

    Raises:
        HomeMissingError: If there is no home.
        NotWritableError: If it may not be written.
    """
    from crewmem import disk
    from crewmem.errors.disk import NotWritableError, PathMissingError
    from crewmem.errors.registry import ExistsError, HomeMissingError

    path = home / name
    try:
        root = disk.open_root(home)
    except PathMissingError as error:
        raise HomeMissingError(home) from error
    with root:
        if not disk.is_writable(home):
            raise NotWritableError(home, "permission denied, or it is read-only")
        if not is_there(path):
            with suppress(ExistsError):  # somebody was quicker
                disk.create(root, name, b"")
        elif not may(path, os.W_OK):  # SQLite would open it, and say so late
            raise NotWritableError(path, "permission denied")


def _is_older(db: apsw.Connection, path: Path, known: int) -> bool:
    """Tell whether *db* has to be migrated; refuse what is not ours to change."""
    found = version(db)
    if found > known:
        from crewmem.errors.database import SchemaTooNewError

        raise SchemaTooNewError(path, found, known)
    return found < known


def _bring_up(
    home: Path, db: apsw.Connection, busy_timeout: float, schema: str
) -> None:
    from crewmem import disk

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
