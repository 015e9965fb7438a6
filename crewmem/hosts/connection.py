"""Connections to the PostgreSQL server of a shared store."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:  # it imports psycopg
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
