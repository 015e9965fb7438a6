"""Opening a SQLite database the way crewmem wants it, and saying what went wrong."""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager
from enum import Enum

import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    Row = tuple[Any, ...]
    Bound = str | int | float | bytes | None
    Values = Sequence[Any] | Mapping[str, Any]

BUSY_TIMEOUT = 30.0
"""Seconds to wait for a lock: at 5, one in 2,000 commits of a contended disk lost."""

BUSY_PAUSE = 0.02
"""Seconds between two tries. Short, and in Python, so that ^C is answered at once."""

PROGRESS_STEPS = 200_000
"""Instructions of SQLite between two looks at pending signals: some milliseconds."""


PLAIN = frozenset(
    b"/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)
"""Bytes of a path that mean themselves in a URI."""


class Mode(Enum):
    """How a database is opened.

    Attributes:
        READ: With locks, so that a writer elsewhere is waited for.
        FROZEN: Without locks, for a medium on which nobody can write.
        LEFT: The same, with what a writer that is gone has left in the ``-wal``.
        WRITE: An existing database.
        CREATE: A database that is made if there is none.
    """

    READ = "ro"
    FROZEN = "ro&immutable=1"
    LEFT = "ro&vfs=unix-none"
    WRITE = "rw"
    CREATE = "rwc"


BESIDE = ("-journal", "-wal", "-shm")
"""What SQLite opens beside a database, and would wait for if it were a FIFO."""

FLAGS = {
    Mode.READ: apsw.SQLITE_OPEN_READONLY,
    Mode.FROZEN: apsw.SQLITE_OPEN_READONLY,
    Mode.LEFT: apsw.SQLITE_OPEN_READONLY,
    Mode.WRITE: apsw.SQLITE_OPEN_READWRITE,
    Mode.CREATE: apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE,
}


def connect(
    path: Path, mode: Mode, *, busy_timeout: float = BUSY_TIMEOUT
) -> apsw.Connection:
    """Open *path*; writes go through `transaction`.

    Raises:
        PathMissingError: If there is no database and *mode* does not make one.
        NotADatabaseError: If the file is something else.
    """
    _refuse_odd(path)
    with explained(path):
        db = apsw.Connection(_uri(path, mode), flags=FLAGS[mode] | apsw.SQLITE_OPEN_URI)
        try:
            _prepare(db, busy_timeout)
            if mode is Mode.LEFT:
                _keep_aside(db)
            db.execute("pragma schema_version").fetchall()  # the first real read
        except apsw.Error as error:
            from crewmem.db.meanings import full_disk

            full = full_disk(error, path, db)
            db.close()
            if full:
                raise full from error
            raise
    return db


def _refuse_odd(path: Path) -> None:
    """Refuse what is no file: to open a FIFO would wait for whoever writes to it."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a third of the time
    except OSError:
        return  # SQLite says why
    if not stat.S_ISREG(mode):
        from crewmem.errors.database import NotADatabaseError

        raise NotADatabaseError(path)
    for beside in (f"{path}{end}" for end in BESIDE):
        try:
            mode = os.lstat(beside).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode):
            from crewmem.disk.failures import not_a_file
            from crewmem.errors.disk import UnsafePathError

            reason = f"{not_a_file(beside, mode).reason}; move it away"
            raise UnsafePathError(beside, reason)


def connect_memory() -> apsw.Connection:
    """Open a database that is gone when it is closed."""
    db = apsw.Connection(":memory:")
    _prepare(db, 0)
    return db


def _prepare(db: apsw.Connection, busy_timeout: float) -> None:
    db.set_busy_handler(patience(busy_timeout))
    db.set_progress_handler(_carry_on, PROGRESS_STEPS)
    db.execute("pragma foreign_keys = on")


def _keep_aside(db: apsw.Connection) -> None:
    """Read a ``-wal`` without a ``-shm`` beside it, and leave it as it is.

    Who holds a database alone keeps what a ``-shm`` is for in memory; here nobody is
    locked out, for this way of opening locks nothing.
    """
    db.execute("pragma locking_mode = exclusive").fetchall()
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def _carry_on() -> bool:
    """Return that nothing is wrong; being called lets Python handle its signals."""
    return False


def patience(seconds: float) -> Callable[[int], bool]:
    """Return a busy handler that waits up to *seconds* at each lock."""
    deadline = 0.0

    def wait(tries: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if tries == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(min(BUSY_PAUSE, deadline - now))
        return True

    return wait


def _uri(path: Path, mode: Mode) -> str:
    # Bytes, for a name need not be UTF-8.
    raw = os.fsencode(path.absolute())
    text = "".join(chr(each) if each in PLAIN else f"%{each:02x}" for each in raw)
    return f"file:{text}?mode={mode.value}"


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """Commit what happens inside, all of it or nothing.

    Raises:
        DatabaseBusyError: If another process keeps the write lock too long.
    """
    with explained(db):
        db.execute("begin immediate")
        try:
            yield
            db.execute("commit")
        except BaseException:
            if db.in_transaction:
                db.execute("rollback")
            raise


@contextmanager
def one_moment(db: apsw.Connection) -> Iterator[None]:
    """See one state of *db* inside, whatever others write meanwhile."""
    if db.in_transaction:
        yield
        return
    with explained(db):
        db.execute("begin")
        try:
            yield
        finally:
            if db.in_transaction:
                db.execute("rollback")


def fetch(db: apsw.Connection, sql: str, values: Values = ()) -> list[Row]:
    """Return the rows that *sql* asks for."""
    with explained(db):
        rows: list[Any] = db.execute(sql, values).fetchall()
    return rows


def fetch_one(db: apsw.Connection, sql: str, values: Values = ()) -> Row:
    """Return the only row that *sql* asks for."""
    (row,) = fetch(db, sql, values)
    return row


@contextmanager
def explained(where: Path | apsw.Connection) -> Iterator[None]:
    """Say of SQLite's errors what they mean for the person waiting.

    Args:
        where: The database that is worked with, or the file it is in.
    """
    try:
        yield
    except apsw.Error as error:
        from crewmem.db.meanings import meaning

        meant = meaning(error, where)
        if meant is None:
            raise
        raise meant from error


def filename(db: apsw.Connection) -> str:
    """Return the path of *db*'s file; "" for one in memory."""
    try:
        return db.filename
    except UnicodeDecodeError as error:  # a name need not be UTF-8
        return os.fsdecode(error.object)
