"""What SQLite's errors mean for the person waiting. Few commands need it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import apsw

from crewmem.db.connect import filename
from crewmem.errors.database import (
    DatabaseBusyError,
    DatabaseDamagedError,
    NotADatabaseError,
    SchemaTooNewError,
)
from crewmem.errors.disk import (
    DiskError,
    NotReadableError,
    NotWritableError,
    PathMissingError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.errors import CrewmemError

EFFECTIVE = os.supports_effective_ids
"""Calls that can be asked for whom the process acts, rather than who began it."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
"""Answers of the system that say that there is none."""


def meaning(error: apsw.Error, where: Path | apsw.Connection) -> CrewmemError | None:
    """Return what *error* means, which came of working with *where*; None: a bug."""
    path = _path(where)
    full = full_disk(error, path, where) if isinstance(where, apsw.Connection) else None
    meant = full or _meaning(error, path)
    return meant or _outgrown(error, where) or _cut(error, path)


def _path(where: Path | apsw.Connection) -> Path:
    if isinstance(where, apsw.Connection):
        return Path(filename(where) or ":memory:")
    return where


def full_disk(
    error: apsw.Error, path: Path, db: apsw.Connection
) -> CrewmemError | None:
    """Say that the disk is full, where SQLite knows but that it failed.

    So it is where a database is opened and what is to lie beside it finds no room.
    """
    if not isinstance(error, apsw.IOError | apsw.CantOpenError):
        return None
    if db.system_errno not in NO_ROOM:
        return None
    return DiskError(path, "use", os.strerror(db.system_errno).lower())


def _meaning(error: apsw.Error, path: Path) -> CrewmemError | None:
    reason = str(error).partition(": ")[2] or str(error)
    for kinds, explain in MEANINGS:
        if isinstance(error, kinds):
            return explain(path, reason)
    return None


def _outgrown(error: apsw.Error, where: Path | apsw.Connection) -> CrewmemError | None:
    """Say of SQL that asks for what is not there that a newer crewmem moved it."""
    from crewmem.db.migrate import TRUTH, TRUTH_ID, newest

    if not (isinstance(error, apsw.SQLError) and isinstance(where, apsw.Connection)):
        return None
    found, known = where.pragma("user_version"), newest(TRUTH)
    if where.pragma("application_id") != TRUTH_ID or found <= known:
        return None
    return SchemaTooNewError(_path(where), found, known)


def _cut(error: apsw.Error, path: Path) -> CrewmemError | None:
    """Say of a table or column that a file had, and that was dropped, that it lacks."""
    from crewmem.db.migrate import makes, makes_column

    for kind, is_made in (("table", makes), ("column", makes_column)):
        _, lacks, name = str(error).partition(f"no such {kind}: ")
        wanted = name.rpartition(".")[2]
        if lacks and path.is_file() and is_made(wanted):
            return DatabaseDamagedError(path, f"it lacks the {kind} {wanted}")
    return None


def _cannot_open(path: Path, reason: str) -> CrewmemError:
    if not path.exists():
        return PathMissingError(path)
    if path.is_dir() or not path.is_file():
        return NotADatabaseError(path)
    if not os.access(path, os.R_OK, effective_ids=os.access in EFFECTIVE):
        return NotReadableError(path, "permission denied")
    return DiskError(path, "open", reason)


def _unusable(path: Path, reason: str) -> CrewmemError:
    return NotADatabaseError(path) if path.is_dir() else DiskError(path, "use", reason)


MEANINGS: tuple[tuple[tuple[type, ...], Callable[[Path, str], CrewmemError]], ...] = (
    ((apsw.BusyError, apsw.LockedError), lambda path, _: DatabaseBusyError(path)),
    ((apsw.NotADBError,), lambda path, _: NotADatabaseError(path)),
    ((apsw.CorruptError,), DatabaseDamagedError),
    (
        (apsw.ReadOnlyError, apsw.AuthError, apsw.PermissionsError),
        lambda path, _: NotWritableError(path, "it, or its directory, is read-only"),
    ),
    ((apsw.FullError,), lambda path, _: DiskError(path, "write", "the disk is full")),
    ((apsw.IOError,), _unusable),
    ((apsw.CantOpenError,), _cannot_open),
)
"""What SQLite's errors mean, the first that fits."""
