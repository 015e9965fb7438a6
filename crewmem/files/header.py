"""What stands where an index should, looked at before SQLite opens it, and after.

SQLite follows links, and would write through one. And other programs keep an
``index.sqlite`` in the same place, in WAL mode: to open that, even to read it,
SQLite makes files beside it, in a tree that is only to be looked at. Ours never is
in that mode.
"""

from __future__ import annotations

import os

from crewmem.db.connect import connect, filename
from crewmem.db.migrate import APPLICATION_ID
from crewmem.disk.paths import LEAF, open_quietly
from crewmem.errors.database import ForeignDatabaseError
from crewmem.errors.disk import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from crewmem.db.connect import Mode

MAGIC = b"SQLite format 3\0"

MODES = slice(18, 20)
"""Where the header tells the journal mode: twice, for writing and for reading."""

WAL = 2
"""What stands there for a database in WAL mode."""

MARK = slice(68, 72)
"""Where the header holds the mark of the program whose database it is."""


KIND, REGULAR = 0o170000, 0o100000
"""Of a mode: what says which kind of thing it is, and a regular file."""


def connect_own(
    root: int, path: Path, mode: Mode, *, busy_timeout: float
) -> apsw.Connection:
    """Open the index *path*, which is in the directory *root*.

    Raises:
        UnsafePathError: If it is no regular file, or was swapped meanwhile.
        PathMissingError: If there is none.
        NotADatabaseError: If the file is something else.
        ForeignDatabaseError: If another program made it.
    """
    refuse_odd(root, path)
    refuse_foreign(path)
    db = connect(path, mode, busy_timeout=busy_timeout)
    try:
        refuse_swapped(root, path, filename(db))
    except UnsafePathError:
        db.close()
        raise
    return db


def refuse_odd(root: int, path: Path) -> None:
    """Refuse what is no regular file: a link, dangling or not, a FIFO, a directory.

    Raises:
        UnsafePathError: If that stands in *root* under the name of *path*.
    """
    found = _status(path.name, root)
    if found and found.st_mode & KIND != REGULAR:
        from crewmem.disk.failures import not_a_file

        raise UnsafePathError(
            path, f"{not_a_file(str(path), found.st_mode).reason}; move it away"
        )


def refuse_swapped(root: int, path: Path, opened: str) -> None:
    """Refuse the database *opened* if it is not what *root* has by *path*'s name.

    SQLite resolves links and then opens by the name it arrived at, so that name tells
    what it opened. An index that is replaced by a new one between the two looks is
    looked at again.

    Raises:
        UnsafePathError: If it is not.
    """
    for _ in range(2):
        here, there = _status(path.name, root), _status(opened)
        if (here and (here.st_dev, here.st_ino)) == (
            there and (there.st_dev, there.st_ino)
        ):
            return
    raise UnsafePathError(path, "it was swapped while it was opened")


def _status(path: str, root: int | None = None) -> os.stat_result | None:
    try:
        return os.lstat(path, dir_fd=root)
    except OSError:
        return None  # SQLite says why


def refuse_foreign(path: Path) -> None:
    """Refuse the database of another program; what is none is left to SQLite.

    The descriptor is closed before SQLite has one of its own, whose locks it would
    take along.

    Raises:
        ForeignDatabaseError: If another program made it.
    """
    header = _header(path)
    if header.startswith(MAGIC) and (
        WAL in header[MODES] or int.from_bytes(header[MARK]) != APPLICATION_ID
    ):
        raise ForeignDatabaseError(path)


def _header(path: Path) -> bytes:
    try:
        opened = open_quietly(os.fspath(path), LEAF)
    except OSError:
        return b""
    try:
        return os.read(opened, MARK.stop)
    except OSError:
        return b""
    finally:
        os.close(opened)
