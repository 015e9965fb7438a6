"""How a database may be opened where it stands: freely, beside others, or frozen."""

from __future__ import annotations

import os
import stat

from crewmem.db.connect import Mode, connect
from crewmem.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import apsw

WRITE_BITS = 0o222
"""Where nobody has one it is a frozen copy, even to root, whom no permission binds."""

SHM = 32_768
"""Bytes of the least ``-shm`` with which anybody can have a database open."""


def is_there(path: Path) -> bool:
    """Tell whether the database is there; what is no file is no database.

    To open a FIFO would wait for whoever writes to it.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        from crewmem.disk.failures import failure

        raise failure(error, os.fspath(path), "read") from error
    if not stat.S_ISREG(mode):
        from crewmem.errors.database import NotADatabaseError

        raise NotADatabaseError(path)
    return True


def connect_to_read(path: Path, *, busy_timeout: float) -> tuple[apsw.Connection, Mode]:
    """Open the database *path*, which is there, to read it; return how as well.

    On a full disk there is no room for what SQLite locks with. Then nobody else has
    room for it either, and the database is read as it lies.
    """
    mode = mode_to_read(path)
    try:
        return connect(path, mode, busy_timeout=busy_timeout), mode
    except DataError as error:
        if not _is_full(error) or _size(f"{os.path.realpath(path)}-shm") >= SHM:
            raise
        mode = _mode_of_frozen(path)
    return connect(path, mode, busy_timeout=busy_timeout), mode


def _is_full(error: DataError) -> bool:
    from crewmem.errors.disk import DiskError

    return isinstance(error, DiskError) and error.is_full


def mode_to_read(path: Path) -> Mode:
    """Return how to open the database *path*, which is there, to read it.

    Where it may be written, SQLite may put beside it what it locks with.
    """
    if _may_be_written(path.parent) and _may_be_written(path):
        return Mode.WRITE
    return _mode_of_frozen(path)


def _may_be_written(path: Path) -> bool:
    return bool(path.stat().st_mode & WRITE_BITS) and may(path, os.W_OK)


def may(path: str | Path, what: int) -> bool:
    """Tell whether this process may do *what* to *path*, as far as the system knows."""
    return os.access(path, what, effective_ids=os.access in os.supports_effective_ids)


def _mode_of_frozen(path: Path) -> Mode:
    """Decide how to open the database where nothing may be written.

    With locks where others may be writing: their ``-shm`` is there, and is not ours
    to change. Else as it lies, with the ``-wal`` if that holds anything.
    """
    real = os.path.realpath(path)  # what SQLite makes lies beside the file itself
    if _size(f"{real}-journal"):
        from crewmem.errors.disk import DiskError

        reason = "it was left in the middle of a change, and cannot be written"
        raise DiskError(path, "read", reason)
    beside = f"{real}-shm"
    if may(beside, os.R_OK) and not may(beside, os.W_OK):
        return Mode.READ
    return Mode.LEFT if _size(f"{real}-wal") else Mode.FROZEN


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - a string, as those beside it
    except OSError:
        return 0
