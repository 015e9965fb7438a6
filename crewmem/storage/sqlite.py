"""SQLite databases: opening, transactions, schema, errors.

Other modules use `Database`, not apsw. Truth changes only inside `transaction`.
"""

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote

import apsw

from crewmem.errors import (
    ConflictError,
    CrewmemError,
    DamagedError,
    LockedError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from crewmem.storage.filesystem import (
    PRIVATE_FILE,
    check_free_space,
    convert_os_error,
    disk_full_error,
    is_disk_full,
    make_directory,
)
from crewmem.storage.locks import Backoff

if TYPE_CHECKING:
    import numpy as np

    from crewmem.protocols import Embedder

BUSY_SECONDS = 30.0
"""Maximum seconds that a statement waits for another process's transaction."""

COUNT_WAIT_MS = 500
"""Maximum milliseconds that an answer waits to count or record what it showed."""

INTERRUPTIBLE_STEPS = 100_000
"""Steps of a statement, of some milliseconds in all, after which ^C or SIGTERM can end it."""

SCHEMA_DIRECTORY = Path(__file__).with_name("schema")

Parameters = Sequence[Any] | Mapping[str, Any]


class Schema(NamedTuple):
    """Tables of a database.

    Attributes:
        application_id: Identifies the file as crewmem's.
        version: Stored in ``user_version``.
        path: An SQL file, or a directory of them, below ``schema/``.
        page_size: Page size of the file in bytes; large pages suit large values.
        is_truth: Whether a commit waits for the disk. Derived data does not need it.
    """

    name: str
    application_id: int
    version: int
    path: str
    page_size: int = 4096
    is_truth: bool = False

    def read(self) -> str:
        """Return the SQL that creates the tables."""
        path = SCHEMA_DIRECTORY / self.path
        files = sorted(path.glob("*.sql")) if path.is_dir() else [path]
        return "\n".join(file.read_text(encoding="utf-8") for file in files)


HOME_SCHEMA = Schema("home", 0x63726D31, 1, "0001", is_truth=True)
INDEX_SCHEMA = Schema("index", 0x63726D32, 5, "index.sql")
SESSIONS_SCHEMA = Schema("sessions", 0x63726D33, 3, "sessions.sql")
VECTORS_SCHEMA = Schema("vectors", 0x63726D34, 1, "vectors.sql", page_size=16_384)
"""Reading 100,000 vectors takes 27 ms with pages of 16 KiB and 55 ms with 4 KiB."""
VERDICTS_SCHEMA = Schema("verdicts", 0x63726D35, 1, "verdicts.sql")


CACHE_KIB = 16_000
"""Maximum page cache of a writable database. With SQLite's default of 2,000, inserting 100,000
journal entries takes 1.6 times as long."""


class SharedStatus(NamedTuple):
    """The state of a mirror of a shared store.

    Attributes:
        id: Id of the store; "" if the home has not joined it.
        position: Position of the last change that was applied.
        problem: Code of the error that keeps the mirror out of date, such as store-unreachable.
        contact: Time of the store's last response; "" for never.
        queued: Number of commands that wait until the store can be reached.
    """

    id: str
    position: int
    problem: str
    contact: str
    queued: int


class EmbeddingCache(Protocol):
    """Embeddings that hosts share."""

    def load(self, keys: Collection[int]) -> "Mapping[int, np.ndarray]":
        """Return the stored vectors of *keys*; a long text has one row per piece."""
        ...

    def save(self, keys: Sequence[int], vectors: "np.ndarray") -> None:
        """Store vectors for the other hosts; the pieces of a text repeat its key."""


class SharedStore(Protocol):
    """Orders transactions among hosts; see `crewmem.hosts.store`.

    Attributes:
        delivering: Id of the queued command that is being delivered; "" for none.
    """

    delivering: str

    def transaction(self) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Begin the store's part of a transaction; yield the function that commits it.

        A local transaction runs in the block, and calls the function before it commits.
        """

    def refresh(self) -> None:
        """Apply new changes of the store to the local file, outside transactions."""

    def lease(self, name: str) -> contextlib.AbstractContextManager[bool]:
        """Hold the lease *name* in a block; yield False if another host has it."""

    @property
    def has_queued(self) -> bool:
        """Return whether commands are queued and the store can now be reached."""

    def describe(self) -> SharedStatus:
        """Return the state of the mirror."""

    def open_embeddings(
        self, collection: tuple[str, str], embedder: "Embedder", keys: Collection[int]
    ) -> EmbeddingCache:
        """Return the shared embeddings of the texts with *keys*."""

    def close(self) -> None:
        """Release the connection; called when the database is closed."""


NETWORK_FILESYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "ceph", "glusterfs"}
)

ERRORS = (apsw.Error, UnicodeError, OverflowError)
"""Errors that statements raise, including text that is not UTF-8 and numbers above 64 bits."""


MISUSES = (
    apsw.ConnectionClosedError,
    apsw.CursorClosedError,
    apsw.ForkingViolationError,
    apsw.MisuseError,
    apsw.ThreadingViolationError,
)
"""Errors of the program, not of the file."""


class Cursor(apsw.Cursor):
    """A cursor that also converts errors that occur while rows are read."""

    path: Path | str = ""

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        try:
            yield from iter(self.fetchone, None)
        except ERRORS as error:
            raise convert_error(error, self.path) from error

    def fetchall(self) -> list[Any]:
        """Return all remaining rows."""
        try:
            return super().fetchall()
        except ERRORS as error:
            raise convert_error(error, self.path) from error


class Database:
    """A connection to one SQLite file. Not thread-safe.

    Errors of SQLite are raised as CrewmemErrors that name the file.

    Attributes:
        path: The file, or ":memory:".
        read_only: Whether it was opened read-only.
        shared: The store that orders transactions among hosts; None without one.
    """

    def __init__(self, path: Path | str, connection: apsw.Connection, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.connection = connection
        self.shared: SharedStore | None = None
        self._depth = 0
        self._is_local = False
        self._prepare(connection)

    def _prepare(self, connection: apsw.Connection) -> None:
        connection.cursor_factory = self._make_cursor
        connection.create_scalar_function("casefold", _casefold, 1, deterministic=True)
        connection.convert_binding = _bind_collection
        # Plans depend on the statement alone. Otherwise SQLite prepares a statement that a partial
        # index may answer for every run, because its parameters may be others: 50 µs instead of 5.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)

    def _make_cursor(self, connection: apsw.Connection) -> Cursor:
        cursor = Cursor(connection)
        cursor.path = self.path
        return cursor

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        return self._depth > 0

    def execute(self, sql: str, params: Parameters = ()) -> apsw.Cursor:
        """Run *sql* and return its rows as tuples, read on demand.

        A list or set among the parameters is bound as JSON, to be read with ``json_each``.
        """
        try:
            return self.connection.execute(sql, params)
        except ERRORS as error:
            raise convert_error(error, self.path) from error

    def executemany(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run *sql* once for each of *rows*."""
        try:
            self.connection.executemany(sql, rows)
        except ERRORS as error:
            raise convert_error(error, self.path) from error

    def all(self, sql: str, params: Parameters = ()) -> list[tuple[Any, ...]]:
        """Return all rows."""
        return self.execute(sql, params).fetchall()

    def column(self, sql: str, params: Parameters = ()) -> list[Any]:
        """Return the first value of each row."""
        return [row[0] for row in self.execute(sql, params)]

    def group(
        self, sql: str, params: Parameters = (), make: Callable[..., Any] = lambda value: value
    ) -> dict[Any, list[Any]]:
        """Return what *make* makes of the other values of the rows, by their first value.

        By default that is the second value. The order is that of the rows.
        """
        groups: dict[Any, list[Any]] = {}
        for key, *values in self.execute(sql, params):
            groups.setdefault(key, []).append(make(*values))
        return groups

    def one(self, sql: str, params: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        try:
            return self.connection.execute(sql, params).fetchone()
        except ERRORS as error:
            raise convert_error(error, self.path) from error

    def value(self, sql: str, params: Parameters = ()) -> Any:
        """Return the first value of the first row, or None."""
        row = self.one(sql, params)
        return None if row is None else row[0]

    def changes(self) -> int:
        """Return the number of rows that the last statement changed."""
        return self.connection.changes()

    def close(self) -> None:
        """Close the connection.

        If the write-ahead log cannot be copied into the file now, the next process does it.
        """
        if self.shared is not None:
            self.shared.close()
        with contextlib.suppress(apsw.Error):
            self.connection.close()


def _bind_collection(cursor: apsw.Cursor, number: int, value: Any) -> str:
    """Return a parameter that SQLite has no type for as a JSON list."""
    return json.dumps(list(value))


def _casefold(*texts: Any) -> str:
    """Fold case for comparisons; SQLite's lower() handles only ASCII."""
    return str(texts[0]).casefold()


@contextlib.contextmanager
def transaction(db: Database, *, local: bool = False) -> Iterator[None]:
    """Run the block in one transaction: ``begin immediate``, then commit or roll back.

    If the connection is already in a transaction, the block becomes part of it.

    Args:
        local: Whether the block changes only tables that are local to the host, such as counters
            and logs. A shared store is then not involved.
    """
    if db._depth:
        assert local or not db._is_local, "a local transaction contains one that is not local"
        db._depth += 1
        try:
            yield
        finally:
            db._depth -= 1
        return
    if db.read_only:
        if isinstance(db.path, Path):
            check_free_space(db.path)
        raise RefusedError(
            f"{db.path} is read-only here", code="read-only", hint="run it where the home is yours"
        )
    shared = None if local else db.shared
    with shared.transaction() if shared is not None else contextlib.nullcontext() as commit:
        db.execute("begin immediate")
        db._depth, db._is_local = 1, local
        try:
            yield
            if commit is not None:
                commit()
            db.execute("commit")
        finally:
            db._depth, db._is_local = 0, False
            if db.connection.in_transaction:
                db.connection.execute("rollback")


class _RollBack(Exception):  # noqa: N818
    """Ends a rehearsal; not an error."""


@contextlib.contextmanager
def rehearsal(db: Database, dry_run: bool = True) -> Iterator[None]:
    """Run the block in a transaction that is rolled back, to learn what the block would do.

    A shared store is not involved. If the database is read-only, the block runs on a copy in
    memory. If *dry_run* is false, the block just runs.
    """
    if not dry_run:
        yield
        return
    assert not db.in_transaction, "the transaction around a rehearsal would keep its changes"
    before = db.shared, db.connection, db.read_only
    db.shared = None
    if db.read_only:
        db.connection, db.read_only = apsw.Connection(":memory:"), False
        db._prepare(db.connection)
        with db.connection.backup("main", before[1], "main") as backup:
            backup.step()
    try:
        with contextlib.suppress(_RollBack), transaction(db):
            yield
            raise _RollBack
    finally:
        db.shared, db.connection, db.read_only = before


def write_unless_busy(
    db: Database, *writes: tuple[str, Sequence[Sequence[Any]]], wait_ms: int = 0
) -> None:
    """Run each statement for all of its rows; see `run_unless_busy`."""

    def write() -> None:
        for statement, rows in writes:
            db.executemany(statement, rows)

    run_unless_busy(db, write, wait_ms=wait_ms)


def run_unless_busy(db: Database, write: Callable[[], None], *, wait_ms: int) -> None:
    """Call *write* in one local transaction; do nothing if that fails.

    For counters and caches: if the database is locked for longer than *wait_ms*, nothing is
    written and no error is raised. The commit does not wait for the disk. In a transaction, the
    statements become part of it.
    """
    if db.read_only:
        return
    if db.connection.in_transaction:
        write()
        return
    synchronous = db.value("pragma synchronous")
    db.execute("pragma synchronous = normal")
    db.connection.set_busy_timeout(wait_ms)
    try:
        with transaction(db, local=True):
            write()
    except CrewmemError:
        return
    finally:
        _wait_when_busy(db.connection, db.path)
        db.execute(f"pragma synchronous = {synchronous}")


def open_database(path: Path, schema: Schema, *, create: bool = False) -> Database:
    """Open a crewmem database for writing.

    Args:
        path: The file.
        schema: The tables that it must have.
        create: Whether to create a missing file.

    Raises:
        NotFoundError: If it is missing and *create* is false.
        DamagedError: If it is damaged, not a database, or has another schema.
    """
    if not path.exists():
        if not create:
            raise NotFoundError(f"there is no database {path}", code="database-not-found")
        make_directory(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
        path.chmod(PRIVATE_FILE)
    _check_file(path)
    db = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    db.execute(f"pragma synchronous = {'full' if schema.is_truth else 'normal'}")
    db.execute("pragma foreign_keys = on")
    db.execute(f"pragma cache_size = -{CACHE_KIB}")
    return _check_schema(db, path, schema, create=create)


def open_read_only(path: Path, schema: Schema, *, in_place: bool) -> Database:
    """Open a crewmem database like `open_unchecked`, and check its schema.

    Raises:
        NotFoundError: If it is missing.
        DamagedError: If it is damaged, not a database, or has another schema.
    """
    if not path.exists():
        raise NotFoundError(f"there is no database {path}", code="database-not-found")
    _check_file(path)
    return _check_schema(open_unchecked(path, in_place=in_place), path, schema)


def _check_file(path: Path) -> None:
    """Raise DamagedError if *path* is not a regular file; opening a pipe would block forever."""
    if not path.is_file():
        raise DamagedError(f"{path} is not a file", code="database-damaged")


def _check_schema(db: Database, path: Path, schema: Schema, *, create: bool = False) -> Database:
    """Return *db* if it has *schema*; otherwise close it and raise.

    With *create*, an empty database gets the tables.
    """
    try:
        if create and db.value("pragma user_version") == 0:
            if db.value("select count(*) from sqlite_schema") == 0:
                _create(db, schema)
        version = db.value("pragma user_version")  # another process may have created the tables
        is_ours = db.value("pragma application_id") == schema.application_id
        if version == schema.version and is_ours:
            return db
        raise DamagedError(
            f"{path} has schema {version}, and this crewmem reads schema {schema.version}",
            code="schema-version",
            details={"file": str(path)},
            hint="restore a backup, or use the version of crewmem that wrote it",
        )
    except BaseException:
        db.close()
        raise


def open_derived(path: Path, schema: Schema) -> tuple[Database, str]:
    """Open a derived database; replace it with an empty one if it is missing, damaged or foreign.

    Returns:
        The database, and the reason why an existing one was discarded; "" if it was not.
    """
    reason = ""
    if path.exists():
        try:
            # An empty file is one that another process is creating at this moment.
            db = open_database(path, schema, create=True)
            if has_own_tables(db):
                return db, ""
            db.close()
            reason = "its tables are not crewmem's"
        except LockedError:
            raise
        except CrewmemError as error:
            if error.code == "disk-full":
                raise
            reason = error.message
        discard_database(path)
    try:
        db = open_database(path, schema, create=True)
    except DamagedError:  # the disk is full; the empty file would count as a damaged index
        discard_database(path)
        raise
    return db, reason


def scrub(db: Database) -> None:
    """Remove traces of deleted rows from the file: full-text terms, unused pages, and the log.

    Call it after a purge, outside transactions. It rewrites the file, which takes seconds for a
    gigabyte. A process that is reading may keep the log until it ends.
    """
    for name in db.column("select name from sqlite_schema where sql like '%using fts5%'"):
        db.execute(f"insert into {name} ({name}) values ('optimize')")
    db.execute("vacuum")
    checkpoint(db)


def checkpoint(db: Database) -> None:
    """Copy the write-ahead log into the file, so that the file is complete without it.

    Raises:
        DamagedError: If the disk is full. Closing the database would silently keep the log.
    """
    db.execute("pragma wal_checkpoint(truncate)").fetchall()


def open_in_memory(schema: Schema) -> Database:
    """Open an empty database in memory with the tables of *schema*."""
    db = Database(":memory:", apsw.Connection(":memory:"), read_only=False)
    _create(db, schema)
    return db


def discard_database(path: Path) -> None:
    """Delete a derived database and its log; it will be rebuilt."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        try:
            os.unlink(f"{path}{suffix}")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise convert_os_error(error, path, "remove") from error


def find_network_filesystem(path: Path) -> str:
    """Return the file system type of *path* if it is a network file system; otherwise "".

    Write-ahead logging is unsafe there, because hosts do not share its memory-mapped index.
    """
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    target = os.path.realpath(path)
    longest, kind = "", ""
    for line in lines:
        _, mount, filesystem, *_ = line.split(" ")
        mount = mount.replace("\\040", " ")
        is_inside = target == mount or target.startswith(mount.rstrip("/") + "/")
        if is_inside and len(mount) >= len(longest):
            longest, kind = mount, filesystem
    return kind if kind in NETWORK_FILESYSTEMS else ""


def convert_error(error: Exception, path: Path | str | None = None) -> CrewmemError:
    """Convert one of ERRORS to a CrewmemError."""
    where = "the database" if path is None else str(path)
    reason = str(error)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return LockedError(
            f"{where} is in use by another process",
            code="database-locked",
            hint="wait until it ends, then run the command again",
        )
    if isinstance(error, MISUSES):
        return UsageError(
            f"{where} is used by two threads at once, or after it was closed: {reason}",
            code="database-misused",
            hint="open a home in each thread",
        )
    if isinstance(error, apsw.ConstraintError):
        return ConflictError(f"{where} refused a row: {reason}", code="constraint")
    if isinstance(error, apsw.ReadOnlyError):
        return RefusedError(f"{where} cannot be written: {reason}", code="read-only")
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return RefusedError(f"{where} cannot be opened: {reason}", code="not-permitted")
    is_full = isinstance(error, apsw.FullError) or (
        isinstance(error, apsw.IOError) and isinstance(path, Path) and is_disk_full(path.parent)
    )
    if is_full:
        return disk_full_error(where)
    if isinstance(error, apsw.IOError):
        return DamagedError(f"{where}: the disk failed: {reason}", code="disk-failed")
    if isinstance(error, OverflowError):
        return UsageError("a number is too large", code="number-too-large")
    if isinstance(error, UnicodeEncodeError):
        return UsageError(f"a text is not UTF-8: {error.object!r}", code="not-utf8")
    if isinstance(error, UnicodeDecodeError):
        reason = "a text in it is not UTF-8"
    return DamagedError(
        f"{where} cannot be read: {reason}", code="database-damaged", details={"file": where}
    )


def _wait_when_busy(connection: apsw.Connection, path: Path | str) -> None:
    """Make statements wait while another process holds a transaction."""
    backoff: Backoff | None = None

    def wait(tries: int) -> bool:
        nonlocal backoff
        if backoff is None or tries == 0:
            backoff = Backoff(str(path), BUSY_SECONDS)
        return backoff.pause()

    connection.set_busy_handler(wait)


def _connect(path: Path | str, flags: int) -> Database:
    try:
        connection = apsw.Connection(str(path), flags=flags | apsw.SQLITE_OPEN_URI)
        _wait_when_busy(connection, path)
        # Python handles signals only between its own instructions.
        connection.set_progress_handler(lambda: False, INTERRUPTIBLE_STEPS)
    except apsw.Error as error:
        raise convert_error(error, path) from error
    return Database(path, connection, read_only=False)


def open_unchecked(path: Path, *, in_place: bool) -> Database:
    """Open *path* without changing it or checking its schema.

    Args:
        path: The file. It and its directory stay unchanged. If it has a write-ahead log, a private
            copy is opened, so that committed rows are seen.
        in_place: Whether to open the file itself even so, for a home that is the user's own.
            SQLite may then change the log and its index beside it.
    """
    if in_place:
        db = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        db.execute("pragma query_only = on")
        db.read_only = True
        return db
    wal = Path(f"{path}-wal")
    try:
        has_wal = wal.stat().st_size > 0
    except FileNotFoundError:
        has_wal = False
    if has_wal:
        import shutil  # only for trees that a running program writes
        import tempfile

        with tempfile.TemporaryDirectory(prefix="crewmem-") as directory:
            readable = Path(directory, path.name)
            try:
                shutil.copyfile(path, readable)
                shutil.copyfile(wal, f"{readable}-wal")
            except OSError as error:
                raise RefusedError(
                    f"cannot copy {path} to read it: {error.strerror}", code="not-permitted"
                ) from error
            db = _connect(readable, apsw.SQLITE_OPEN_READWRITE)
            # SQLite opens the copy and its log here, and they are unlinked at the end of the
            # block: a process that is killed later leaves no files behind.
            db.value("select count(*) from sqlite_master")
    else:
        db = _connect(f"file:{quote(str(path))}?immutable=1", apsw.SQLITE_OPEN_READONLY)
    db.path = path
    db.read_only = True
    return db


def _create(db: Database, schema: Schema) -> None:
    """Create the tables of *schema* in an empty database."""
    if isinstance(db.path, Path):
        db.execute(f"pragma page_size = {schema.page_size}")
        mode = "delete" if find_network_filesystem(db.path.parent) else "wal"
        backoff = Backoff(str(db.path), BUSY_SECONDS)
        while True:
            try:
                db.execute(f"pragma journal_mode = {mode}")
                break
            except LockedError:  # SQLite does not wait here for another process that does the same
                if not backoff.pause():
                    raise
    with transaction(db):
        if db.value("pragma user_version") == schema.version:
            return  # another process created them while this one waited
        db.execute(schema.read())
        if not schema.is_truth:
            db.execute(
                "insert into meta (key, value) values ('schema', ?)", (_describe_tables(db),)
            )
        db.execute(f"pragma application_id = {schema.application_id}")
        db.execute(f"pragma user_version = {schema.version}")


def has_own_tables(db: Database) -> bool:
    """Return whether a derived database has exactly crewmem's tables, indexes and triggers."""
    defined = db.value("select value from meta where key = 'schema'")
    return bool(defined == _describe_tables(db))


def _describe_tables(db: Database) -> str:
    return repr(db.all("select type, name, sql from sqlite_schema order by type, name"))
