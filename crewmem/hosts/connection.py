"""Connections to the PostgreSQL server of a shared store."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import (
    CrewmemError,
    DamagedError,
    LockedError,
    NotFoundError,
    RefusedError,
    ServiceError,
    SettingsError,
    UsageError,
)
from crewmem.storage.installer import format_extra_command, format_install_command
from crewmem.storage.sqlite import HOME_SCHEMA

if TYPE_CHECKING:  # psycopg takes longer to import than most commands take to run
    from psycopg import Cursor

    from crewmem.hosts.timeouts import TimeoutConnection

SCHEMA = "crewmem"
"""Name of the schema in PostgreSQL."""

LOCK_KEY = 0x637265776D656D
"""Key of the advisory lock that orders the writes of a store: "crewmem" in ASCII."""

CONNECT_SECONDS = 3

READ_SECONDS = 5.0
"""Maximum seconds that a reading command waits for a free connection; then it uses the mirror."""

DISK_SECONDS = 60.0
"""Maximum silence during a commit, which may wait for the server's disk."""

LOCK_SECONDS, STATEMENT_SECONDS = 60, 300
"""Maximum seconds that a writer waits for the lock, and that a statement takes.

A hundred writers may be queued. A lock holder whose host is gone loses the lock within 25 s, one
that stopped during a transaction after STATEMENT_SECONDS."""

NULL_HANDLER = logging.NullHandler()
"""Discards the log of psycopg, which would appear on standard error."""

SAME_VERSION = "use the same version of crewmem as the other hosts"

SERVER_FULL_MESSAGES = ("too many clients", "remaining connection slots")
"""Parts of the errors of a server whose connections are all in use."""

FULL_PAUSE = 0.2
"""Seconds between two tries to connect to such a server."""

LEASE_SECONDS, RENEW_SECONDS = 90, 30
"""Duration of a lease, and how often it is renewed."""

UNREACHABLE_SECONDS = 30.0
"""How long a server that could not be reached is not tried again; each try takes 3 s."""


class Head(NamedTuple):
    """The state of the store on the server.

    Attributes:
        schema: Version of its schema.
        position: Position of the newest change.
        hash: Hash of the newest change.
        journal_seq: Highest seq of a journal entry.
    """

    store_id: str
    schema: int
    position: int
    hash: str
    journal_seq: int


class Server:
    """The server as a home uses it: one connection, which is opened when it is needed.

    Attributes:
        connection: The open connection; None before the first use.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.connection: TimeoutConnection | None = None
        self._unreachable: CrewmemError | None = None
        self._retry_at = 0.0

    @property
    def is_disconnected(self) -> bool:
        """Return whether there is no connection to the server."""
        return self.connection is None or self.connection.closed

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def connect(self, *, wait: float = LOCK_SECONDS) -> TimeoutConnection:
        """Return the open connection, or a new one; *wait* as for `connect`."""
        connection = self.connection
        if connection is None or connection.closed:
            if self._unreachable is not None and time.monotonic() < self._retry_at:
                raise self._unreachable
            try:
                connection = self.connection = connect(self._context, wait=wait)
            except ServiceError as error:
                if not is_server_full(error):
                    self._unreachable = error
                    self._retry_at = time.monotonic() + UNREACHABLE_SECONDS
                raise
        return connection

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement on the server and return its rows.

        Raises:
            CrewmemError: If the server cannot be reached, or refuses the statement.
        """
        cursor = self.execute(sql, params)
        return cursor.fetchall() if cursor.description else []

    def execute(self, sql: str, params: Sequence[Any] = ()) -> Cursor[Any]:
        """Run a statement on the server; raises the errors of `query`."""
        was_open = not self.is_disconnected
        connection = self.connect()
        is_idle = connection.info.transaction_status == connection.info.transaction_status.IDLE
        try:
            return connection.execute(sql, params or None)
        except Exception as error:
            if was_open and is_idle and connection.closed and not connection.timed_out:
                return self.execute(sql, params)  # the server closed the idle connection
            raise self.convert_error(error) from error

    def convert_error(self, error: Exception) -> CrewmemError:
        """Convert an error of psycopg; if the store is gone, say how to get it back."""
        converted = convert_error(self._context, error)
        return self.missing_error() if converted.code == "store-not-found" else converted

    def missing_error(self) -> NotFoundError:
        """Return the error for a server that no longer has the store."""
        return NotFoundError(
            "the server has lost the store that this home is a mirror of",
            code="store-not-found",
            hint="restore a backup of the server, or create the store again from this mirror with "
            + self._context.command("sync --push-all"),
        )

    def lock(self) -> Head:
        """Begin a transaction on the server that holds the lock of the store; return the head."""
        select_head = "select store_id, schema, position, hash, journal_seq from store"
        cursor = self.execute(f"begin; select pg_try_advisory_xact_lock({LOCK_KEY}); {select_head}")
        cursor.nextset()
        [(is_locked,)] = cursor.fetchall()
        if not is_locked:  # the server responds, so a longer silence is another host's write
            connection = self.connection
            assert connection is not None
            try:
                with connection.allow_silence(2 * LOCK_SECONDS, resource="the shared store"):
                    cursor = connection.execute(
                        f"select pg_advisory_xact_lock({LOCK_KEY}); {select_head}"
                    )
            except Exception as error:
                raise self.convert_error(error) from error
        cursor.nextset()
        row = cursor.fetchone()
        if row is None:
            raise self.missing_error()
        return Head(*row)

    @contextlib.contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the lock of the store inside the block, in a transaction on the server only."""
        self.lock()
        try:
            yield
            self.query("commit")
        finally:
            self.release()

    def release(self) -> None:
        """Roll back the transaction on the server, if there is one."""
        connection = self.connection
        if connection is None:
            return
        try:
            if connection.info.transaction_status != connection.info.transaction_status.IDLE:
                connection.execute("rollback")
        except Exception:  # noqa: BLE001 - the server rolls back when the connection is closed
            connection.close()

    @contextlib.contextmanager
    def lease(self, name: str, host: str) -> Iterator[bool]:
        """Hold the lease *name* for *host* inside the block; yield False if another host has it."""
        # Jobs of a home lock each other out with a file: a lease of this host is of a killed job.
        rows = self.query(
            "insert into leases as held (name, host, until)"
            f" values (%s, %s, now() + interval '{LEASE_SECONDS} seconds')"
            " on conflict (name) do update set host = excluded.host, until = excluded.until"
            " where held.until < now() or held.host = excluded.host returning 1",
            (name, host),
        )
        if not rows:
            yield False
            return
        stop = threading.Event()
        renewer = threading.Thread(target=self._renew, args=(name, host, stop), daemon=True)
        renewer.start()
        try:
            yield True
        finally:
            stop.set()
            renewer.join()
            with contextlib.suppress(CrewmemError):
                self.query("delete from leases where name = %s and host = %s", (name, host))

    def _renew(self, name: str, host: str, stop: threading.Event) -> None:
        """Renew a lease until *stop* is set, on separate connections."""
        while not stop.wait(RENEW_SECONDS):
            with contextlib.suppress(Exception), connect(self._context) as connection:
                connection.execute(
                    f"update leases set until = now() + interval '{LEASE_SECONDS} seconds'"
                    " where name = %s and host = %s",
                    (name, host),
                )


def check_schema(version: int) -> None:
    """Raise DamagedError unless *version*, of the store's schema, is that of this crewmem."""
    ours = HOME_SCHEMA.version
    if version == ours:
        return
    if version > ours:
        age, hint = "old", format_install_command("--upgrade", "crewmem")
    else:
        age, hint = "new", SAME_VERSION
    raise DamagedError(
        f"the store has schema {version}, and this crewmem reads schema {ours}: it is too {age}",
        code="store-schema",
        hint=hint,
    )


def connect(context: Context, *, wait: float = LOCK_SECONDS) -> TimeoutConnection:
    """Open a connection to the server.

    Args:
        wait: Maximum seconds to wait if all connections of the server are in use.

    Raises:
        ServiceError: If the server cannot be reached, or refuses the connection.
        SettingsError: If psycopg is not installed.
    """
    try:
        # Only with a shared store: importing psycopg takes longer than most commands.
        import psycopg

        from crewmem.hosts.timeouts import TimeoutConnection
    except ImportError as error:
        raise SettingsError(
            "a shared store needs psycopg",
            code="psycopg-missing",
            hint=format_extra_command("postgres"),
        ) from error
    logging.getLogger("psycopg").addHandler(NULL_HANDLER)
    deadline = time.monotonic() + wait
    while True:
        try:
            return TimeoutConnection.connect(
                context.settings["store"],
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                keepalives_idle=10,
                keepalives_interval=5,
                tcp_user_timeout=15_000,
                application_name="crewmem",
                options=f"-c search_path={SCHEMA} -c lock_timeout={LOCK_SECONDS}s"
                f" -c statement_timeout={STATEMENT_SECONDS}s"
                f" -c idle_in_transaction_session_timeout={STATEMENT_SECONDS}s"
                " -c tcp_keepalives_idle=10"
                " -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3",
            )
        except psycopg.Error as error:
            if not is_server_full(error) or time.monotonic() > deadline:
                raise convert_error(context, error) from error
        time.sleep(FULL_PAUSE)


def is_server_full(error: Exception) -> bool:
    """Return whether *error* means that all connections of the server are in use."""
    return any(text in str(error) for text in SERVER_FULL_MESSAGES)


def convert_error(context: Context, error: Exception) -> CrewmemError:
    """Convert an error of psycopg to a CrewmemError; return a CrewmemError unchanged."""
    import psycopg  # already imported, because it raised the error

    if isinstance(error, CrewmemError):
        return error
    text = str(error).strip().partition("\n")[0].removeprefix("connection failed: ")
    hint = context.command("doctor")
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return LockedError(
            "another host holds the lock of the shared store", code="store-locked", hint=hint
        )
    if isinstance(error, psycopg.errors.UndefinedTable):
        return NotFoundError(
            "the server has no store", code="store-not-found", hint=context.command("init --store")
        )
    if isinstance(error, psycopg.errors.UndefinedColumn):
        return DamagedError(
            f"another version of crewmem created the store: {text}",
            code="store-schema",
            hint=SAME_VERSION,
        )
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return RefusedError(
            f"the shared store denied access: {text}", code="store-refused", hint=hint
        )
    if isinstance(error, psycopg.DataError):
        return UsageError(f"PostgreSQL cannot store the data: {text}", code="store-data")
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.DiskFull):
        return ServiceError(
            f"the shared store does not accept writes: {text}", code="store-unreachable", hint=hint
        )
    return ServiceError(
        f"the shared store cannot be reached: {text}", code="store-unreachable", hint=hint
    )
