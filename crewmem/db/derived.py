"""Opening a database of the home that holds nothing but what can be made again.

It needs no steps: one whose schema is of another version, or that is damaged, is
dropped, and an empty one takes its place when somebody writes.
"""

from __future__ import annotations

from crewmem import disk
from crewmem.db.access import connect_to_read, is_there
from crewmem.db.connect import (
    BUSY_TIMEOUT,
    Mode,
    connect,
    connect_memory,
    explained,
    fetch_one,
    transaction,
)
from crewmem.db.migrate import APPLICATION_ID, steps, version
from crewmem.db.truth import LOCKS, make_empty
from crewmem.errors.database import (
    DatabaseDamagedError,
    DerivedDamagedError,
    NotADatabaseError,
)
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import apsw

BESIDE = ("-journal", "-wal", "-shm")
"""What a database leaves beside it, and what is worth nothing to another one."""

CHECKPOINT_PAGES = 256
"""Pages of the ``-wal`` at which it is written back: 16 MiB, of pages of 64 KiB."""


class Derived(NamedTuple):
    """A kind of derived database.

    Attributes:
        schema: The directory of its script.
        version: Of that script.
        page_size: In bytes, as SQLite knows it.
        again: The command that fills it again.
    """

    name: str
    schema: str
    version: int
    page_size: int
    again: str


def open_to_write(
    home: Path, kind: Derived, *, busy_timeout: float = BUSY_TIMEOUT
) -> apsw.Connection:
    """Open the database of *home*; make it if there is none that can be used.

    Raises:
        HomeMissingError: If there is no home.
        NotWritableError: If it may not be written.
        ForeignDatabaseError: If another program wrote it.
    """
    make_empty(home, kind.name)
    found = _usable(home, kind, busy_timeout)
    return _set_up(found or _replaced(home, kind, busy_timeout))


def open_anew(
    home: Path, kind: Derived, *, busy_timeout: float = BUSY_TIMEOUT
) -> apsw.Connection:
    """Open an empty database in the place of that of *home*, whatever it holds.

    Raises:
        As `open_to_write`.
    """
    make_empty(home, kind.name)
    if db := _usable(home, kind, busy_timeout):  # which refuses what is not ours
        db.close()
    return _set_up(_replaced(home, kind, busy_timeout, keep=False))


def _set_up(db: apsw.Connection) -> apsw.Connection:
    db.execute("pragma synchronous = normal")  # a power cut costs what can be made
    db.execute(f"pragma wal_autocheckpoint = {CHECKPOINT_PAGES}").fetchall()
    return db


def open_to_read(
    home: Path, kind: Derived, *, busy_timeout: float = BUSY_TIMEOUT
) -> apsw.Connection | None:
    """Open the database of *home* for reading; None if there is none to be read.

    One of another version is none: whoever writes next replaces it.

    Raises:
        NotReadableError: If it may not be read.
        ForeignDatabaseError: If another program wrote it.
        DerivedDamagedError: If it is damaged.
    """
    path = home / kind.name
    if not is_there(path):
        return None
    try:
        db, _ = connect_to_read(path, busy_timeout=busy_timeout)
        try:
            if version(db, APPLICATION_ID) == kind.version:
                db.execute("pragma query_only = on")
                return db
        except BaseException:
            db.close()
            raise
    except (NotADatabaseError, DatabaseDamagedError) as error:
        raise DerivedDamagedError(path, str(error), kind.again) from error
    db.close()
    return None


def in_memory(kind: Derived) -> apsw.Connection:
    """Return an empty database of *kind* that is gone when it is closed."""
    db = connect_memory()
    _fill(db, kind)
    return db


def _usable(home: Path, kind: Derived, busy_timeout: float) -> apsw.Connection | None:
    """Open what stands in *home*, if it is whole as far as it shows, and current."""
    db = None
    try:
        db = connect(home / kind.name, Mode.WRITE, busy_timeout=busy_timeout)
        if version(db, APPLICATION_ID) == kind.version:
            return db
    except (NotADatabaseError, DatabaseDamagedError):
        pass
    except BaseException:
        if db:
            db.close()
        raise
    if db:
        db.close()
    return None


def _replaced(
    home: Path, kind: Derived, busy_timeout: float, *, keep: bool = True
) -> apsw.Connection:
    """Put an empty database in the place of what stands in *home*.

    Who has that open keeps it, as SQLite sees that it lost its name, and finds the
    new one the next time.

    Args:
        keep: Whether one that can be used after all is left in its place.
    """
    with disk.open_root(home) as root:
        disk.make_dirs(root, LOCKS)
        with disk.lock(root, f"{LOCKS}/{kind.name}", timeout=busy_timeout):
            if keep and (db := _usable(home, kind, busy_timeout)):
                return db  # somebody was quicker
            temporary = disk.temporary_name(kind.name)
            try:
                disk.create(root, temporary, b"")  # its owner's alone
                _build(home / temporary, kind)
                for end in BESIDE:
                    disk.discard(root, kind.name + end)
                disk.adopt(root, temporary, kind.name)
            except BaseException:
                disk.discard(root, temporary)
                raise
            return connect(home / kind.name, Mode.WRITE, busy_timeout=busy_timeout)


def _build(path: Path, kind: Derived) -> None:
    db = connect(path, Mode.WRITE)
    try:
        with explained(db):
            db.execute(f"pragma page_size = {kind.page_size}")
            fetch_one(db, "pragma journal_mode = wal")
        _fill(db, kind)
    finally:
        db.close()


def _fill(db: apsw.Connection, kind: Derived) -> None:
    with transaction(db):
        for _, sql in steps(kind.schema):
            db.execute(sql).fetchall()
        db.execute(f"pragma application_id = {APPLICATION_ID}")
        db.execute(f"pragma user_version = {kind.version}")
