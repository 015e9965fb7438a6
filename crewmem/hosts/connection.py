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
    from crewmem.hosts.patience import PatientConnection

SCHEMA = "crewmem"
"""Name of the schema in PostgreSQL."""

LOCK = 0x637265776D656D
"""Key of the advisory lock that orders the writes of a store: the letters of crewmem."""

CONNECT_SECONDS = 3

READ_SECONDS = 5.0
"""A command that reads waits so long for a free connection, before it answers from the mirror."""

DISK_SECONDS = 60.0
"""A write may wait for the server's disk."""

LOCK_SECONDS, STATEMENT_SECONDS = 60, 300
"""A hundred writers may stand before one; a holder that is gone loses the lock within 25 s, and
one that was stopped in its transaction after as long as a statement may take."""

QUIET = logging.NullHandler()
"""Takes what psycopg logs, which would stand beside our errors on standard error."""

SAME_VERSION = "use the version of crewmem that the other hosts have"

SERVER_FULL = ("too many clients", "remaining connection slots")
FULL_PAUSE = 0.2
"""A server with all its connections in use is waited for, in steps of so many seconds."""


def check_schema(version: int) -> None:
    """Raise DamagedError unless the store has the tables that this crewmem reads and writes."""
    ours = HOME_SCHEMA.version
    if version == ours:
        return
    age = "old" if version > ours else "new"
    hint = format_install_command("--upgrade", "crewmem") if version > ours else SAME_VERSION
    raise DamagedError(
        f"the store has schema {version}, and this crewmem reads schema {ours}: it is too {age}",
        code="store-schema",
        hint=hint,
    )


def connect(context: Context, *, wait: float = LOCK_SECONDS) -> PatientConnection:
    """Open a connection to the server.

    Args:
        wait: Seconds to wait for a server that has all its connections in use.

    Raises:
        ServiceError: If it cannot be reached.
        SettingsError: If psycopg is not installed, or the login is refused.
    """
    try:
        # Only where a store is set: the import of psycopg costs more than most commands.
        import psycopg

        from crewmem.hosts.patience import PatientConnection
    except ImportError as error:
        raise SettingsError(
            "a shared store needs psycopg",
            code="psycopg-missing",
            hint=format_extra_command("postgres"),
        ) from error
    logging.getLogger("psycopg").addHandler(QUIET)
    deadline = time.monotonic() + wait
    while True:
        try:
            return PatientConnection.connect(
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
            if not is_full(error) or time.monotonic() > deadline:
                raise convert_error(context, error) from error
        time.sleep(FULL_PAUSE)


def is_full(error: Exception) -> bool:
    """Tell whether the server answers, but has all its connections in use."""
    return any(text in str(error) for text in SERVER_FULL)


def convert_error(context: Context, error: Exception) -> CrewmemError:
    """Return the error of crewmem that says what an error of psycopg means."""
    import psycopg  # it is imported: it raised the error

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
            f"another version of crewmem made the store: {text}",
            code="store-schema",
            hint=SAME_VERSION,
        )
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return RefusedError(f"the shared store refused it: {text}", code="store-refused", hint=hint)
    if isinstance(error, psycopg.DataError):
        return UsageError(f"PostgreSQL cannot store it: {text}", code="store-data")
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.DiskFull):
        return ServiceError(
            f"the shared store takes no writes: {text}", code="store-unreachable", hint=hint
        )
    return ServiceError(
        f"the shared store cannot be reached: {text}", code="store-unreachable", hint=hint
    )
