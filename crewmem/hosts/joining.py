"""Makes a home a mirror of a shared store: of an existing one, or of one created from the home."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crewmem.context import Context
from crewmem.errors import ConflictError, ServiceError, SettingsError
from crewmem.files.directories import make_directories
from crewmem.hosts import checkout
from crewmem.hosts.changes import (
    FULL_TEXT_TABLES,
    IS_SHARED_SQL,
    Table,
    has_data,
    load_tables,
    shared_where,
)
from crewmem.hosts.connection import (
    LOCK_KEY,
    SCHEMA,
    STATEMENT_SECONDS,
    Head,
    check_schema,
    connect,
    convert_error,
)
from crewmem.hosts.store import (
    MirrorState,
    PostgresStore,
    diverged_error,
    make_position_statement,
    read_state,
)
from crewmem.ids import new_id
from crewmem.journal.episodes import select_new
from crewmem.storage.sqlite import HOME_SCHEMA, Database, transaction

if TYPE_CHECKING:  # psycopg takes longer to import than most commands take to run
    from crewmem.hosts.timeouts import TimeoutConnection


class JoinReport(NamedTuple):
    """The result of joining a store.

    Attributes:
        rows: Number of shared rows, by table.
        lines: Text for the user, about granting access to roles.
    """

    store_id: str
    rows: dict[str, int]
    lines: list[str]


PUSHED_NAME = "pushed"
"""Name in `home_names` of the id of the store that the home is being moved to."""

_POSTGRES_TYPES = {"text": "text", "integer": "int8", "real": "float8", "blob": "bytea"}
"""PostgreSQL types by SQLite type."""

OBSOLETE_WARNINGS = ("store-not-joined", "store-not-found", "other-store", "store-diverged")
"""Codes of warnings that joining resolves."""


def join_store(context: Context) -> JoinReport:
    """Make an empty home a mirror of the store, which is created if necessary.

    For a home that is a mirror already, all rows are copied again; that repairs differences.

    Raises:
        ConflictError: If the home contains data of its own, or mirrors another store.
        DamagedError: If it is a mirror with changes that the server does not have.
    """
    db = _detach(context)
    state = read_state(db)
    if state is None and has_data(db):
        raise ConflictError(
            "this home contains data, but only an empty home can join a store",
            code="home-has-data",
            hint=context.command("sync --push-all"),
        )
    with connect(context) as connection, connection.allow_silence(STATEMENT_SECONDS):
        store_id = _open_store(context, connection)
        if state is not None:
            _check_mirror(context, connection, state, store_id)
        _copy_from_store(context, db, connection, state)
    return _make_report(context, db, store_id)


def _check_mirror(
    context: Context, connection: TimeoutConnection, state: MirrorState, store_id: str
) -> None:
    """Raise an error if the mirror is of another store, or has changes that the server lacks."""
    if store_id != state.store_id:
        raise ConflictError(
            f"this home is a mirror of {state.store_id}, but the server has the store {store_id}",
            code="other-store",
            hint="join it with a new home: crewmem --home DIR init",
        )
    row = connection.execute(
        "select hash from changes where position = %s", (state.position,)
    ).fetchone()
    if state.hash != (row[0] if row else ""):
        raise diverged_error(context, state.position)


def push_all_to_store(context: Context) -> JoinReport:
    """Move the data of a home to a new store, and make the home its mirror.

    A mirror whose server lost the store can also be moved to an empty database. If interrupted,
    the move can be repeated.

    Raises:
        ConflictError: If the store contains data.
    """
    db = _detach(context)
    with connect(context) as connection, connection.allow_silence(STATEMENT_SECONDS):
        store_id = _open_store(context, connection)
        db.execute(
            "insert or replace into home_names (name, value) values (?, ?)", (PUSHED_NAME, store_id)
        )
        _copy_to_store(context, db, connection, store_id)
    return _make_report(context, db, store_id)


def _make_report(context: Context, db: Database, store_id: str) -> JoinReport:
    rows = {
        table.name: db.value(f"select count(*) from {table.name}{shared_where(table)}")
        for table in load_tables(db).values()
    }
    return JoinReport(store_id, rows, describe_grants(context))


def _detach(context: Context) -> Database:
    """Close the connection to the store; return the local database."""
    if not context.settings["store"]:
        raise SettingsError(
            "no shared store is set",
            code="no-store",
            command="config set store postgresql://host/database",
        )
    db = context.db
    if isinstance(db.shared, PostgresStore):
        db.shared.close()
    db.shared = None
    context.warnings[:] = [each for each in context.warnings if each.code not in OBSOLETE_WARNINGS]
    return db


def _open_store(context: Context, connection: TimeoutConnection) -> str:
    """Begin a transaction that holds the lock of the store; create the tables if there are none.

    Returns the id of the store.
    """
    try:
        connection.execute("begin")
        connection.execute(f"select pg_advisory_xact_lock({LOCK_KEY})")
        if connection.info.server_version < 150_000:
            raise ServiceError(
                f"the server is PostgreSQL {connection.info.server_version // 10_000}; 15 or later"
                " is needed",
                code="postgres-too-old",
            )
        [(table,)] = connection.execute("select to_regclass('crewmem.store')").fetchall()
        if table is None:
            connection.execute(f"create schema if not exists {SCHEMA}")
            connection.execute(make_schema(load_tables(context.db).values()))
            connection.execute(
                "insert into store values (1, %s, %s, 0, %s, 0)",
                (new_id("h", context.random), HOME_SCHEMA.version, ""),
            )
        [(store_id, schema)] = connection.execute("select store_id, schema from store").fetchall()
    except Exception as error:
        raise convert_error(context, error) from error
    check_schema(schema)
    return str(store_id)


def make_schema(tables: Iterable[Table]) -> str:
    """Return the SQL that creates the tables of a store, with row-level security."""
    parts = [Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")]
    for table in tables:
        columns = [
            f"{name} {_POSTGRES_TYPES[kind]}" + (" not null" if name in table.required else "")
            for name, kind in table.columns.items()
        ]
        parts.append(
            f"create table {table.name} (\n    "
            + ",\n    ".join([*columns, f"primary key ({', '.join(table.key)})"])
            + "\n);"
        )
        parts.append(_make_policy(table.name, table.workspace))
        if table.key[0] != table.workspace:
            parts.append(f"create index on {table.name} ({table.workspace});")
    parts.append("create unique index on journal_entries (workspace_id, id);")
    parts.append("create index on file_versions (stored_sha256);")
    parts += [
        _make_policy(name, "workspace_id")
        for name in ("change_rows", "file_contents", "embeddings")
    ]
    return "\n".join(parts)


def _make_policy(table: str, column: str) -> str:
    """Return the SQL that restricts rows to the roles of the workspace in *column*."""
    return (
        f"alter table {table} enable row level security;\n"
        f"create policy by_workspace on {table} using (exists (select 1 from workspace_roles r"
        f" where r.workspace_id = {table}.{column} and pg_has_role(r.role_name, 'member')));"
    )


@contextlib.contextmanager
def _commit_both(context: Context, db: Database, connection: TimeoutConnection) -> Iterator[None]:
    """Run the block in a local transaction; commit on the server first, then locally."""
    try:
        with transaction(db):
            yield
            connection.execute("commit")
    except Exception as error:
        raise convert_error(context, error) from error
    db.shared = PostgresStore(context, db)


def _copy_from_store(
    context: Context, db: Database, connection: TimeoutConnection, state: MirrorState | None
) -> None:
    """Copy the store to a home; if the store is new, copy the home's workspaces to it."""
    with _commit_both(context, db, connection):
        [row] = connection.execute(
            "select store_id, schema, position, hash, journal_seq from store"
        ).fetchall()
        head = Head(*row)
        sql = "select not exists (select 1 from workspaces)"
        [(is_new,)] = connection.execute(sql).fetchall()
        if is_new:
            _send_tables(db, connection)
        else:
            _receive_tables(db, connection)
            for workspace in db.column("select name from workspaces"):
                select_new(db, workspace, 0, context.now)
            with connection.cursor() as cursor:
                for digest, content in cursor.stream("select sha256, content from file_contents"):
                    checkout.store_contents(context, {digest: bytes(content)})
        host = state.host if state else new_id("h", context.random)
        _record_mirror(db, host, head, is_behind=not is_new)
        connection.execute(*make_position_statement(head.position, host))
    make_directories(context, db)
    assert db.shared is not None
    db.shared.refresh()


def _copy_to_store(
    context: Context, db: Database, connection: TimeoutConnection, store_id: str
) -> None:
    """Copy a home to an empty store."""
    with _commit_both(context, db, connection):
        [(has_rows, is_used)] = connection.execute(
            "select exists (select 1 from workspaces),"
            " exists (select 1 from mirrors) or (select position > 0 from store)"
        ).fetchall()
        pushed = db.value("select value from home_names where name = ?", (PUSHED_NAME,))
        if has_rows and not is_used and pushed == store_id:
            # An earlier move was killed between the server's commit and the local one.
            for name in (*load_tables(db), "file_contents"):
                connection.execute(f"delete from {name}")
        elif (state := read_state(db)) is not None and state.store_id == store_id:
            raise ConflictError(
                f"this home is a mirror of {store_id} already",
                code="already-joined",
                hint=context.command("sync"),
            )
        elif has_rows or is_used:
            raise ConflictError(
                "the store already contains data: a home can only be moved to an empty store",
                code="store-has-data",
                hint="export this home, join the store with an empty one, and import the bundle",
            )
        _send_tables(db, connection)
        contents = db.all(
            f"select distinct workspace, stored_sha256 from file_versions where {IS_SHARED_SQL}"
        )
        with connection.cursor() as cursor:
            checkout.send_contents(context, cursor, contents)
        seq = db.value("select coalesce(max(seq), 0) from journal_entries")
        connection.execute("update store set journal_seq = %s", (seq,))
        head = Head(store_id, HOME_SCHEMA.version, 0, "", seq)
        _record_mirror(db, new_id("h", context.random), head, is_behind=False)
        db.execute(
            "insert or replace into file_bases (workspace_id, path, version_id)"
            " select workspace, path, id from (select *, row_number() over (partition by workspace,"
            " path order by number desc, written_at desc, id desc) as rank from file_versions)"
            f" where rank = 1 and ({IS_SHARED_SQL})"
        )


def _send_tables(db: Database, connection: TimeoutConnection) -> None:
    for table in load_tables(db).values():
        names = ", ".join(table.columns)
        copy = f"copy {table.name} ({names}) from stdin (format binary)"
        with connection.cursor() as cursor, cursor.copy(copy) as rows:
            rows.set_types([_POSTGRES_TYPES[kind] for kind in table.columns.values()])
            for values in db.execute(f"select {names} from {table.name}{shared_where(table)}"):
                rows.write_row(values)


def _receive_tables(db: Database, connection: TimeoutConnection) -> None:
    for table in load_tables(db).values():
        names, placeholders = ", ".join(table.columns), ", ".join("?" * len(table.columns))
        db.execute(f"delete from {table.name}{shared_where(table)}")
        order = " order by seq" if table.name == "journal_entries" else ""
        copy = f"copy (select {names} from {table.name}{order}) to stdout (format binary)"
        with connection.cursor() as cursor, cursor.copy(copy) as rows:
            rows.set_types([_POSTGRES_TYPES[kind] for kind in table.columns.values()])
            insert = f"insert into {table.name} ({names}) values ({placeholders})"
            db.executemany(insert, rows.rows())
    for name in FULL_TEXT_TABLES:
        db.execute(f"insert into {name}_fts ({name}_fts) values ('rebuild')")


def _record_mirror(db: Database, host: str, head: Head, *, is_behind: bool) -> None:
    """Store that the home is a mirror with the id *host*."""
    db.execute(
        "insert or replace into shared_store"
        " (one, store_id, host, position, hash, journal_seq, is_behind)"
        " values (1, ?, ?, ?, ?, ?, ?)",
        (head.store_id, host, head.position, head.hash, head.journal_seq, is_behind),
    )
    sql = "insert or replace into home_names (name, value) values ('chain', ?)"
    db.execute(sql, (head.store_id,))
    db.execute("delete from home_names where name = ?", (PUSHED_NAME,))


def describe_grants(context: Context) -> list[str]:
    """Return lines with the SQL that lets a role use one workspace of the store."""
    return [
        "To let a role work in one workspace only, run as the owner of the database:",
        f"  grant usage on schema {SCHEMA} to ROLE;",
        f"  grant select, insert, update, delete on all tables in schema {SCHEMA} to ROLE;",
        f"  revoke insert, update, delete on {SCHEMA}.workspace_roles from ROLE;",
        f"  insert into {SCHEMA}.workspace_roles values ('{context.workspace}', 'ROLE');",
    ]
