"""The first bytes of an index, looked at before SQLite opens it.

Other programs keep an ``index.sqlite`` in the same place, and in WAL mode. To open
that, even to read it, SQLite makes files beside it, in a tree that is only to be
looked at. Ours never is in that mode.
"""

from __future__ import annotations

import os

from crewmem.db.migrate import APPLICATION_ID
from crewmem.disk.paths import LEAF, open_quietly
from crewmem.errors import ForeignDatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"SQLite format 3\0"

MODES = slice(18, 20)
"""Where the header tells the journal mode: twice, for writing and for reading."""

WAL = 2
"""What stands there for a database in WAL mode."""

MARK = slice(68, 72)
"""Where the header holds the mark of the program whose database it is."""


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
