"""A shared store in PostgreSQL, of which the home is a mirror.

A write takes the store's lock, applies what is newer, runs on the local file while its changes
are recorded, commits them in PostgreSQL and then locally. docs/hosts.md has the states.
"""

import contextlib
import json
import pkgutil
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from crewmem.context import Context
from crewmem.embeddings.store import Vectors
from crewmem.errors import (
    ConflictError,
    CrewmemError,
    DamagedError,
    LockedError,
    NotFoundError,
    RefusedError,
    ServiceError,
    SettingsError,
    UsageError,
)
from crewmem.ids import new_id
from crewmem.storage import checkout
from crewmem.storage.filesystem import make_directory, touch
from crewmem.storage.replication import (
    Change,
    Recorder,
    Row,
    Table,
    apply_rows,
    erases_text,
    hash_change,
    load_tables,
    postgres_schema,
    verify_change,
)
from crewmem.storage.sqlite import HOME_SCHEMA, Database, scrub
from crewmem.times import format_age

SCHEMA = "crewmem"
"""Name of the schema in PostgreSQL."""

LOCK = 0x637265776D656D
"""Key of the advisory lock that orders the writes of a store: the letters of crewmem."""

CONNECT_SECONDS = 3
LOCK_MS, STATEMENT_MS = 30_000, 300_000
SERVER_FULL = ("too many clients", "remaining connection slots")
FULL_PAUSE = 0.2
"""A server with all its connections in use is waited for, in steps of so many seconds."""

BATCH = 2_000
"""Changes that are read at a time."""

LEASE_SECONDS, RENEW_SECONDS = 90, 30

SELECT_EPISODES = "crewmem.journal.episodes:select_new"
"""Selects the episodes among pulled entries. By name: this layer does not know the journal."""

READ_CHANGES = (
    "select s.store_id, s.schema, s.position, s.hash, s.journal_seq,"
    " c.position, c.host, c.actor, c.at, c.erases, c.outbox, c.digests, c.previous, c.hash,"
    " r.table_name, r.workspace_id, r.is_deleted, r.key, r.row::text, r.salt, r.digest"
    " from store s left join changes c on c.position > %s and c.position <= %s"
    " left join change_rows r on r.position = c.position order by c.position, r.number"
)


class Head(NamedTuple):
    """The newest change of a store, on the server or in the mirror."""

    store_id: str
    schema: int
    position: int
    hash: str
    journal_seq: int


class State(NamedTuple):
    """What the mirror knows of its store."""

    store_id: str
    host: str
    position: int
    hash: str
    journal_seq: int
    is_behind: bool


class PostgresStore:
    """Orders the transactions of a home among the mirrors of its store.

    Attributes:
        context: The home. Who acts is recorded with each change.
        failure: Why the server cannot be used in the present transaction; None when it can.
        delivering: Id of the queued command that is delivered; "" for none.
    """

    def __init__(self, context: Context, db: Database) -> None:
        self.context = context
        self.failure: CrewmemError | None = None
        self.delivering = ""
        self._db = db
        self._connection: Any = None
        self._recorder: Recorder | None = None
        self._head: Head | None = None
        self._sent: list[Row] = []
        self._conflict: ConflictError | None = None

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The shared tables."""
        return load_tables(self._db)

    def load_state(self) -> State:
        """Return what the mirror knows.

        Raises:
            SettingsError: If the home has not joined the store.
        """
        row = self._db.one(
            "select store_id, host, position, hash, journal_seq, is_behind from shared_store"
        )
        if row is None:
            raise SettingsError(
                f"this home has not joined the store {self.context.settings['store']}",
                code="store-not-joined",
                hint=self.context.command("init --store"),
            )
        return State(*row)

    @property
    def has_queued(self) -> bool:
        """Tell whether commands wait in the outbox, and the server answered."""
        is_open = self._connection is not None and not self._connection.closed
        return is_open and self._db.value("select 1 from outbox limit 1") is not None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # Reading

    def refresh(self) -> None:
        """Bring the mirror up to date: one round trip. A server that is away is a warning."""
        if self._db.in_transaction:
            return
        context = self.context
        try:
            self.bring_up_to_date()
        except CrewmemError as error:
            hint = error.hint or context.command("doctor")
            context.warn(error.code, f"{error.message}; answered from {self._age()}", hint)

    def bring_up_to_date(self) -> int:
        """Apply what is newer on the server; return how many changes that were.

        Raises:
            CrewmemError: If the server cannot be used.
        """
        state = self.load_state()
        head = self._pull(state)
        touch(self._contact_path, at=self.context.now.timestamp())
        if self.load_state().is_behind:
            self._check_out()
        return head.position - state.position

    @property
    def last_contact(self) -> datetime | None:
        """When the server last answered; None for never."""
        try:
            return datetime.fromtimestamp(self._contact_path.stat().st_mtime, UTC)
        except OSError:
            return None

    def _age(self) -> str:
        at = self.last_contact
        if at is None:
            return "a mirror that never reached it"
        return f"the mirror as of {format_age(at, self.context.now)}"

    @property
    def _contact_path(self) -> Path:
        """A file whose time says when the server last answered."""
        return self.context.lock_path("store")

    def _pull(self, state: State) -> Head:
        """Read and apply what came after the mirror's position; return the server's head."""
        while True:
            rows = self.query(READ_CHANGES, (state.position, state.position + BATCH))
            head, changes = _read_changes(rows)
            self._check_head(state, head, changes)
            if not changes:
                return head
            self._apply(changes, head)
            if changes[-1].position >= head.position:
                with contextlib.suppress(CrewmemError):
                    self._report_position(changes[-1].position, state.host)
                return head
            state = self.load_state()

    def _check_head(self, state: State, head: Head, changes: Sequence[Change]) -> None:
        """Refuse a server that is not the one that the mirror was made of."""
        if head.store_id != state.store_id:
            raise SettingsError(
                f"the server has the store {head.store_id}, and this home is a mirror of"
                f" {state.store_id}",
                code="other-store",
                hint=self.context.command("config get", "store"),
            )
        if head.schema != HOME_SCHEMA.version:
            raise DamagedError(
                f"the store has schema {head.schema}, and this crewmem reads schema"
                f" {HOME_SCHEMA.version}",
                code="store-schema",
                hint="use the version of crewmem that the other hosts have",
            )
        before = changes[0].previous if changes else head.hash
        if head.position < state.position or before != state.hash:
            raise DamagedError(
                f"the mirror has change {state.position}, and the server does not (it is at"
                f" {head.position}): the server was restored from an older backup",
                code="store-diverged",
                hint="restore a newer backup of the server, or save what this home has with "
                + self.context.command("export --out", "DIR")
                + " and make a new mirror in an empty home with init --store",
            )

    def _apply(self, changes: Sequence[Change], head: Head) -> None:
        """Apply changes in one local transaction, leaving out those that are here by now."""
        db, now = self._db, self.context.now
        contents = self._fetch_contents(changes)
        db.execute("begin immediate")
        try:
            state = self.load_state()
            new = [change for change in changes if change.position > state.position]
            previous = state.hash
            for change in new:
                verify_change(change, previous)
                previous = change.hash
            rows = [row for change in new for row in change.rows]
            erases = any(change.erases for change in new)
            keys = self._forget_vectors(rows) if erases else {}
            unused = checkout.find_deleted_contents(db, self.tables, rows)
            checkout.store_contents(self.context, contents)
            places = {
                row.workspace: 0 for row in rows if row.table == "journal_entries" and row.text
            }
            last = db.value("select coalesce(max(seq), 0) from journal_entries") if places else 0
            apply_rows(db, self.tables, rows)
            if places:
                select_episodes = pkgutil.resolve_name(SELECT_EPISODES)
                for workspace in places:
                    select_episodes(db, workspace, last, now)
            self._make_directories(rows)
            for change in new:
                if change.outbox:
                    db.execute("delete from outbox where id = ?", (change.outbox,))
            if new:
                brings_files = any(r.table == "file_versions" and not r.is_deleted for r in rows)
                db.execute(
                    "update shared_store set position = ?, hash = ?,"
                    " journal_seq = max(journal_seq, ?), is_behind = max(is_behind, ?)",
                    (new[-1].position, previous, head.journal_seq, brings_files),
                )
            db.execute("commit")
        finally:
            if db.connection.in_transaction:
                db.connection.execute("rollback")
        checkout.remove_contents(self.context, db, unused)
        if keys:
            vectors = Vectors(self.context)
            if vectors.exists:
                for (workspace, store), gone in keys.items():
                    vectors.delete((workspace, store), gone)
            vectors.close()
        if erases:
            scrub(db)

    def _forget_vectors(self, rows: Sequence[Row]) -> dict[tuple[str, str], set[int]]:
        """Prepare that texts leave this file; return the keys of their vectors."""
        db = self._db
        db.execute("pragma secure_delete = on")
        found: dict[tuple[str, str], set[int]] = {}
        for row in rows:
            if row.text is None or row.is_deleted or row.table not in ("facts", "journal_entries"):
                continue
            values = self.tables[row.table].decode(row.text)
            if row.table == "facts" and not values["content_hash"]:
                old = db.all(
                    "select vector_key from facts this where id = ?1 and vector_key <> 0 and not"
                    " exists (select 1 from facts other where other.vector_key ="
                    " this.vector_key and other.id <> ?1)",
                    (values["id"],),
                )
                found.setdefault((row.workspace, "facts"), set()).update(key for (key,) in old)
                db.execute("update fact_evidence set quote = '' where fact_id = ?", (values["id"],))
            elif row.table == "journal_entries" and not values["salt"]:
                old = db.all("select vector_key from episodes where seq = ?", (values["seq"],))
                found.setdefault((row.workspace, "journal"), set()).update(key for (key,) in old)
                db.execute("delete from episodes where seq = ?", (values["seq"],))
        return found

    def _make_directories(self, rows: Sequence[Row]) -> None:
        """Make the directories of crews and agents that were added elsewhere."""
        home = self.context.home
        assert home is not None
        for row in rows:
            if row.text is None or row.is_deleted:
                continue
            if row.table not in ("workspaces", "crews", "agents"):
                continue
            values = self.tables[row.table].decode(row.text)
            place = home / "workspaces" / row.workspace
            if row.table == "crews":
                place = place / "crews" / values["name"] / "shared"
            elif row.table == "agents":
                place = place / "crews" / values["crew"] / "agents" / values["slug"]
            make_directory(place / ".memory")

    def _fetch_contents(self, changes: Sequence[Change]) -> dict[str, bytes]:
        """Return the contents of new file versions that are not here."""
        wanted = checkout.find_missing_contents(
            self.context, self.tables, [row for change in changes for row in change.rows]
        )
        if not wanted:
            return {}
        rows = self.query(
            "select sha256, content from file_contents where sha256 = any(%s)", (sorted(wanted),)
        )
        return {digest: bytes(content) for digest, content in rows}

    def _check_out(self) -> None:
        checkout.check_out_files(self.context, self._db)

    # Writing: what storage.sqlite.transaction calls

    def begin(self) -> None:
        """Take the store's lock and apply what is newer.

        When the server cannot be used the transaction goes on, as long as it changes nothing
        that is shared.
        """
        state = self.load_state()
        self.failure, self._sent = None, []
        try:
            self._head = self._lock()
            changes: list[Change] = []
            if self._head.position != state.position or self._head.hash != state.hash:
                self._pull(state)
            else:
                self._check_head(state, self._head, changes)
        except (ServiceError, DamagedError) as error:
            self._release()
            self.failure = error
        except BaseException:
            self._release()
            raise
        self._recorder = Recorder(self._db, self.tables)

    def commit(self) -> None:
        """Write the recorded changes to PostgreSQL and commit them there."""
        assert self._recorder is not None
        rows = self._recorder.collect(self.context.random)
        self._recorder.close()
        if not rows:
            self._release()
            return
        rows.sort(key=lambda row: not row.is_deleted)
        self._sent = [*rows, *self._recorder.private]
        if self.failure is not None:
            raise self.failure
        try:
            newest = checkout.check_bases(self._db, self.tables, rows)
        except ConflictError as error:
            self._conflict = error
            raise
        head = self._head
        assert head is not None
        context, state = self.context, self.load_state()
        position = head.position + 1
        erases = erases_text(self.tables, rows)
        digests = [row.digest for row in rows]
        actor, at = str(context.access.actor), context.now_text
        change = Change(
            position, state.host, actor, at, erases, self.delivering, digests, head.hash,
            hash_change(
                position, state.host, actor, at, erases, self.delivering, digests, head.hash
            ),
            rows,
        )  # fmt: skip
        journal_seq = max(head.journal_seq, _last_seq(self.tables, rows))
        self._send(change, journal_seq)
        self._db.execute(
            "update shared_store set position = ?, hash = ?, journal_seq = ?",
            (position, change.hash, journal_seq),
        )
        if self.delivering:
            self._db.execute("delete from outbox where id = ?", (self.delivering,))
        checkout.set_bases(self._db, newest)

    def rollback(self) -> None:
        """Give the lock back. A file that was written for nothing is put back, or reviewed."""
        if self._recorder is not None:
            self._recorder.close()
        self._release()
        rows, self._sent = self._sent, []
        conflict, self._conflict = self._conflict, None
        if rows:
            # The writer of a file still holds the lock of its directory.
            item = checkout.take_back(self.context, self._db, self.tables, rows)
            if conflict is not None and item:
                conflict.details = {**conflict.details, "review": item}
                conflict.hint = self.context.command("review show", item)

    def end(self) -> None:
        """Forget the transaction, which is committed on both sides."""
        self._sent = []

    def _lock(self) -> Head:
        """Begin a transaction that holds the store's lock; return the store's head."""
        for attempt in (1, 2):
            try:
                cursor = self._connect().execute(
                    f"begin; select pg_advisory_xact_lock({LOCK});"
                    " select store_id, schema, position, hash, journal_seq from store"
                )
                while cursor.nextset():
                    pass
                row = cursor.fetchone()
            except Exception as error:
                is_stale = attempt == 1 and self._connection is not None
                is_stale = is_stale and self._connection.closed
                self._drop_broken()
                if is_stale:  # it was closed since its last use: once more with a new one
                    continue
                raise self._explain(error) from error
            if row is None:
                raise self._no_store()
            return Head(*row)
        raise AssertionError

    def _send(self, change: Change, journal_seq: int) -> None:
        """Write a change, and commit. A lost answer is looked up."""
        connection = self._connect()
        try:
            with connection.pipeline(), connection.cursor() as cursor:
                self._send_rows(cursor, change.rows)
                checkout.send_contents(self.context, cursor, self.tables, change.rows)
                if change.erases:
                    cursor.executemany(
                        "update change_rows set row = null, salt = '' where table_name = %s"
                        " and key = %s",
                        [(row.table, row.key) for row in change.rows],
                    )
                cursor.execute(
                    "insert into changes (position, host, actor, at, erases, outbox, digests,"
                    " previous, hash) values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    (*change[:6], json.dumps(change.digests), change.previous, change.hash),
                )
                cursor.executemany(
                    "insert into change_rows (position, number, workspace_id, table_name,"
                    " is_deleted, key, row, salt, digest)"
                    " values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    [
                        (change.position, number, row.workspace, row.table, row.is_deleted,
                         row.key, row.text, row.salt, row.digest)
                        for number, row in enumerate(change.rows)
                    ],
                )  # fmt: skip
                cursor.execute(
                    "update store set position = %s, hash = %s, journal_seq = %s",
                    (change.position, change.hash, journal_seq),
                )
                cursor.execute(*_position_statement(change.position, change.host))
                cursor.execute("commit")
        except Exception as error:
            if not self._was_committed(change):
                raise self._explain(error) from error

    def _send_rows(self, cursor: Any, rows: Sequence[Row]) -> None:
        groups: dict[tuple[bool, str], list[dict[str, Any]]] = {}
        for row in rows:
            values = self.tables[row.table].decode(row.text or "")
            groups.setdefault((row.is_deleted, row.table), []).append(values)
        for (is_deleted, name), rows_of in groups.items():
            table = self.tables[name]
            make = table.delete if is_deleted else table.upsert
            cursor.executemany(make(_marker), rows_of)

    def _was_committed(self, change: Change) -> bool:
        """Tell whether a commit whose answer was lost took place."""
        if self._connection is None or not self._connection.closed:
            return False
        try:
            rows = self.query("select hash from changes where position = %s", (change.position,))
        except CrewmemError:
            return False
        return bool(rows) and rows[0][0] == change.hash

    def _release(self) -> None:
        """End the transaction on the server, if there is one."""
        connection = self._connection
        if connection is None:
            return
        try:
            if connection.info.transaction_status != connection.info.transaction_status.IDLE:
                connection.execute("rollback")
        except Exception:  # noqa: BLE001 - the server ends it when the connection is gone
            connection.close()

    # Connection

    def _connect(self) -> Any:
        if self._connection is not None and self._connection.closed:
            self._connection = None
        if self._connection is None:
            self._connection = connect(self.context)
        return self._connection

    def _drop_broken(self) -> None:
        if self._connection is not None and self._connection.closed:
            self._connection = None

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return rows of the server.

        Raises:
            ServiceError: If it cannot be reached.
        """
        for attempt in (1, 2):
            is_used = self._connection is not None
            connection = self._connect()
            try:
                cursor = connection.execute(sql, params)
                return cursor.fetchall() if cursor.description else []
            except Exception as error:
                if is_used and attempt == 1 and connection.closed:
                    continue
                raise self._explain(error) from error
        raise AssertionError

    def _explain(self, error: Exception) -> CrewmemError:
        return explain(self.context, error)

    def _no_store(self) -> NotFoundError:
        return NotFoundError(
            "the server has no store",
            code="store-not-found",
            hint=self.context.command("init --store"),
        )

    def _report_position(self, position: int, host: str) -> None:
        self.query(*_position_statement(position, host))

    # Leases

    @contextlib.contextmanager
    def lease(self, name: str) -> Iterator[bool]:
        """Hold the lease *name* inside the block; yields whether another host has it not."""
        host = self.load_state().host
        if not self._take_lease(name, host):
            yield False
            return
        done = threading.Event()
        renewer = threading.Thread(target=self._renew, args=(name, host, done), daemon=True)
        renewer.start()
        try:
            yield True
        finally:
            done.set()
            renewer.join()
            with contextlib.suppress(CrewmemError):
                self.query("delete from leases where name = %s and host = %s", (name, host))

    def _take_lease(self, name: str, host: str) -> bool:
        # Jobs of one home exclude each other by a lock file, so an own lease was left by a kill.
        rows = self.query(
            "insert into leases as held (name, host, until)"
            f" values (%s, %s, now() + interval '{LEASE_SECONDS} seconds')"
            " on conflict (name) do update set host = excluded.host, until = excluded.until"
            " where held.until < now() or held.host = excluded.host returning 1",
            (name, host),
        )
        return bool(rows)

    def _renew(self, name: str, host: str, done: threading.Event) -> None:
        """Prolong a lease until *done*, on a connection of its own."""
        while not done.wait(RENEW_SECONDS):
            with contextlib.suppress(Exception), connect(self.context) as connection:
                connection.execute(
                    f"update leases set until = now() + interval '{LEASE_SECONDS} seconds'"
                    " where name = %s and host = %s",
                    (name, host),
                )


def attach_store(context: Context, db: Database) -> None:
    """Make *db* a mirror of the store of the settings, and bring it up to date."""
    check_address(context.settings["store"])
    store = PostgresStore(context, db)
    db.shared = store
    store.refresh()


def get_store(context: Context) -> PostgresStore | None:
    """Return the shared store of a home, if it has one."""
    if not context.has_db:
        return None
    store = context.db.shared
    return store if isinstance(store, PostgresStore) else None


@contextlib.contextmanager
def hold_lease(context: Context, job: str) -> Iterator[bool]:
    """Hold the lease of a job that runs once per workspace; True without a shared store."""
    store = get_store(context)
    if store is None:
        yield True
        return
    with store.lease(f"{context.workspace}/{job}") as is_held:
        yield is_held


def check_address(address: str) -> None:
    """Raise SettingsError unless *address* is one of a PostgreSQL store, without a password."""
    parts = urlsplit(address)
    if parts.scheme not in ("postgresql", "postgres"):
        raise SettingsError(
            "store must be postgresql://host/database",
            code="bad-store",
            hint="crewmem config set store postgresql://host/database",
        )
    if parts.password or "password=" in parts.query:
        raise SettingsError(
            "store may not hold a password: put it into PGPASSWORD or ~/.pgpass",
            code="password-in-settings",
            hint="crewmem config set store postgresql://user@host/database",
        )


def connect(context: Context) -> Any:
    """Open a connection to the server.

    Raises:
        ServiceError: If it cannot be reached.
        SettingsError: If psycopg is not installed, or the login is refused.
    """
    try:
        import psycopg  # only where a store is set; its import costs more than most commands
    except ImportError as error:
        raise SettingsError(
            "a shared store needs psycopg",
            code="psycopg-missing",
            hint="pip install 'crewmem[postgres]'",
        ) from error
    deadline = time.monotonic() + LOCK_MS / 1000
    while True:
        try:
            return psycopg.connect(
                context.settings["store"],
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                keepalives_idle=10,
                tcp_user_timeout=15_000,
                application_name="crewmem",
                options=f"-c search_path={SCHEMA} -c lock_timeout={LOCK_MS}"
                f" -c statement_timeout={STATEMENT_MS}",
            )
        except psycopg.Error as error:
            is_full = any(text in str(error) for text in SERVER_FULL)
            if not is_full or time.monotonic() > deadline:
                raise explain(context, error) from error
        time.sleep(FULL_PAUSE)


def explain(context: Context, error: Exception) -> CrewmemError:
    """Return the error of crewmem that says what an error of psycopg means."""
    import psycopg  # it is imported: it raised the error

    if isinstance(error, CrewmemError):
        return error
    text = str(error).strip().partition("\n")[0]
    hint = context.command("doctor")
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return LockedError(
            "another host holds the lock of the shared store", code="store-locked", hint=hint
        )
    if isinstance(error, psycopg.errors.UndefinedTable):
        return NotFoundError(
            "the server has no store", code="store-not-found", hint=context.command("init --store")
        )
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return RefusedError(f"the shared store refused it: {text}", code="store-refused", hint=hint)
    if isinstance(error, psycopg.DataError):
        return UsageError(f"PostgreSQL cannot store it: {text}", code="store-data")
    return ServiceError(
        f"the shared store cannot be reached: {text}", code="store-unreachable", hint=hint
    )


def _marker(name: str) -> str:
    return f"%({name})s"


def _position_statement(position: int, host: str) -> tuple[str, tuple[Any, ...]]:
    return (
        (
            "insert into mirrors (host, position, seen_at) values (%s, %s, now())"
            " on conflict (host) do update set position = excluded.position, seen_at = now()"
        ),
        (host, position),
    )


def _read_changes(rows: Sequence[tuple[Any, ...]]) -> tuple[Head, list[Change]]:
    """Return the store's head, and the changes that came with it."""
    if not rows:
        raise NotFoundError("the server has no store", code="store-not-found")
    changes: list[Change] = []
    for row in rows:
        if row[5] is None:
            break
        if not changes or changes[-1].position != row[5]:
            changes.append(Change._make((*row[5:14], [])))
        if row[14] is not None:
            changes[-1].rows.append(Row(*row[14:21]))
    return Head(*rows[0][:5]), changes


def _last_seq(tables: dict[str, Table], rows: Sequence[Row]) -> int:
    found = [
        int(tables[row.table].decode(row.text or "")["seq"])
        for row in rows
        if row.table == "journal_entries"
    ]
    return max(found, default=0)


# Joining


class Joined(NamedTuple):
    """A home that became a mirror.

    Attributes:
        rows: That were copied, by table.
        lines: What people are told: roles and grants.
    """

    store_id: str
    rows: dict[str, int]
    lines: list[str]


def has_data(db: Database) -> bool:
    """Tell whether a home holds more than what `init` made."""
    for name in load_tables(db):
        least = 1 if name == "workspaces" else 0
        if db.value(f"select count(*) from (select 1 from {name} limit 2)") > least:
            return True
    return False


def join_store(context: Context) -> Joined:
    """Make an empty home a mirror of the store, which is created if it is not there.

    Raises:
        ConflictError: If the home holds data, or is a mirror already.
    """
    db = _detach(context)
    if has_data(db):
        raise ConflictError(
            "this home holds data, and a mirror begins empty",
            code="home-has-data",
            hint=context.command("sync --push-all"),
        )
    with connect(context) as connection:
        store_id = _find_or_make(context, connection)
        rows = _copy_from(context, db, connection, store_id)
    return Joined(store_id, rows, describe_grants(context))


def push_all_to_store(context: Context) -> Joined:
    """Move the truth of a home into a new store, of which it becomes a mirror.

    Raises:
        ConflictError: If the store holds data, or the home is a mirror already.
    """
    db = _detach(context)
    with connect(context) as connection:
        store_id = _find_or_make(context, connection)
        rows = _copy_to(context, db, connection, store_id)
    return Joined(store_id, rows, describe_grants(context))


def _detach(context: Context) -> Database:
    check_address(context.settings["store"] or "none")
    db = context.db
    if db.value("select 1 from shared_store"):
        raise ConflictError(
            "this home is a mirror of the store already",
            code="store-joined",
            hint=context.command("status"),
        )
    if isinstance(db.shared, PostgresStore):
        db.shared.close()
    db.shared = None
    context.warnings[:] = [each for each in context.warnings if each.code != "store-not-joined"]
    return db


def _find_or_make(context: Context, connection: Any) -> str:
    """Return the id of the store; make its tables if there are none. Holds the store's lock."""
    try:
        connection.execute("begin")
        connection.execute(f"select pg_advisory_xact_lock({LOCK})")
        if connection.info.server_version < 150_000:
            raise ServiceError(
                f"the server is PostgreSQL {connection.info.server_version // 10_000}; 15 or later"
                " is needed",
                code="postgres-too-old",
            )
        found = connection.execute("select to_regclass('crewmem.store')").fetchone()[0]
        if found is None:
            connection.execute(f"create schema if not exists {SCHEMA}")
            connection.execute(postgres_schema(load_tables(context.db).values()))
            connection.execute(
                "insert into store values (1, %s, %s, 0, %s, 0)",
                (new_id("h", context.random), HOME_SCHEMA.version, ""),
            )
        row = connection.execute("select store_id, schema from store").fetchone()
    except Exception as error:
        raise explain(context, error) from error
    store_id, schema = row
    if schema != HOME_SCHEMA.version:
        raise DamagedError(
            f"the store has schema {schema}, and this crewmem reads schema {HOME_SCHEMA.version}",
            code="store-schema",
            hint="use the version of crewmem that the other hosts have",
        )
    return str(store_id)


def _copy_from(context: Context, db: Database, connection: Any, store_id: str) -> dict[str, int]:
    """Fill an empty home from the store, in one local transaction."""
    counts = {}
    head = Head(
        *connection.execute(
            "select store_id, schema, position, hash, journal_seq from store"
        ).fetchone()
    )
    tables = load_tables(db)
    is_new = connection.execute("select not exists (select 1 from workspaces)").fetchone()[0]
    db.execute("begin immediate")
    try:
        if is_new:
            counts = _send_tables(context, db, connection, tables)
        else:
            db.execute("update journal_bulk set is_open = 1")
            db.execute("update fact_bulk set is_open = 1")
            for table in tables.values():
                names = ", ".join(table.columns)
                db.execute(f"delete from {table.name}")
                counts[table.name] = 0
                marks = ", ".join("?" * len(table.columns))
                order = " order by seq" if table.name == "journal_entries" else ""
                copy = f"copy (select {names} from {table.name}{order}) to stdout (format binary)"
                with connection.cursor() as cursor, cursor.copy(copy) as rows:
                    rows.set_types([_POSTGRES_NAMES[kind] for kind in table.columns.values()])
                    sql = f"insert into {table.name} ({names}) values ({marks})"
                    db.executemany(sql, _counted(rows.rows(), counts, table.name))
            _index_texts(db)
            select_episodes = pkgutil.resolve_name(SELECT_EPISODES)
            for (workspace,) in db.all("select name from workspaces"):
                select_episodes(db, workspace, 0, context.now)
            checkout.receive_contents(context, connection)
        _become_mirror(context, db, store_id, head, is_behind=not is_new)
        connection.execute("commit")
        db.execute("commit")
    except Exception as error:
        raise explain(context, error) from error
    finally:
        if db.connection.in_transaction:
            db.connection.execute("rollback")
    store = PostgresStore(context, db)
    store._make_directories(
        [
            Row(
                name, values[tables[name].workspace], False, "", tables[name].encode(values), "", ""
            )
            for name in ("workspaces", "crews", "agents")
            for values in _read_rows(db, tables[name])
        ]
    )
    db.shared = store
    store.refresh()
    return counts


def _copy_to(context: Context, db: Database, connection: Any, store_id: str) -> dict[str, int]:
    """Fill an empty store from a home."""
    tables = load_tables(db)
    try:
        taken = connection.execute(
            "select exists (select 1 from workspaces) or (select position > 0 from store)"
        ).fetchone()[0]
        if taken:
            raise ConflictError(
                "the store holds data already: one home is pushed into an empty store",
                code="store-has-data",
                hint="export this home, join the store with an empty one, and import the bundle",
            )
        db.execute("begin immediate")
        counts = _send_tables(context, db, connection, tables)
        checkout.send_all_contents(context, db, connection)
        seq = db.value("select coalesce(max(seq), 0) from journal_entries")
        connection.execute("update store set journal_seq = %s", (seq,))
        _become_mirror(context, db, store_id, Head(store_id, 0, 0, "", seq), is_behind=False)
        db.execute(
            "insert or replace into file_bases (workspace_id, path, version_id)"
            " select workspace, path, id from (select *, row_number() over (partition by workspace,"
            " path order by number desc, written_at desc, id desc) as place from file_versions)"
            " where place = 1 and (path like 'crew:%' or path like 'workspace:%')"
        )
        connection.execute("commit")
        db.execute("commit")
    except Exception as error:
        raise explain(context, error) from error
    finally:
        if db.connection.in_transaction:
            db.connection.execute("rollback")
    db.shared = PostgresStore(context, db)
    return counts


def _send_tables(
    context: Context, db: Database, connection: Any, tables: dict[str, Table]
) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in tables.values():
        names = ", ".join(table.columns)
        only = ""
        if table.name == "file_versions":
            only = " where path like 'crew:%' or path like 'workspace:%'"
        counts[table.name] = 0
        copy = f"copy {table.name} ({names}) from stdin (format binary)"
        with connection.cursor() as cursor, cursor.copy(copy) as rows:
            rows.set_types([_POSTGRES_NAMES[kind] for kind in table.columns.values()])
            for values in db.execute(f"select {names} from {table.name}{only}"):
                rows.write_row(values)
                counts[table.name] += 1
    return counts


_POSTGRES_NAMES = {"text": "text", "integer": "int8", "real": "float8", "blob": "bytea"}


def _counted(rows: Any, counts: dict[str, int], name: str) -> Iterator[tuple[Any, ...]]:
    for values in rows:
        counts[name] += 1
        yield values


def _index_texts(db: Database) -> None:
    """Write the full text of tables that were filled at once, and let triggers do it again."""
    db.execute("insert into journal_entries_fts (journal_entries_fts) values ('rebuild')")
    db.execute("insert into facts_fts (facts_fts) values ('rebuild')")
    db.execute("update journal_bulk set is_open = 0")
    db.execute("update fact_bulk set is_open = 0")


def _become_mirror(
    context: Context, db: Database, store_id: str, head: Head, *, is_behind: bool
) -> None:
    db.execute(
        "insert into shared_store (one, store_id, host, position, hash, journal_seq, is_behind)"
        " values (1, ?, ?, ?, ?, ?, ?)",
        (
            store_id, new_id("h", context.random), head.position, head.hash, head.journal_seq,
            is_behind,
        ),
    )  # fmt: skip
    db.execute("insert or replace into home_names (name, value) values ('chain', ?)", (store_id,))


def _read_rows(db: Database, table: Table) -> Iterator[dict[str, Any]]:
    for values in db.execute(f"select {', '.join(table.columns)} from {table.name}"):
        yield dict(zip(table.columns, values, strict=True))


def describe_grants(context: Context) -> list[str]:
    """Return the statements that let a role use one workspace of the store."""
    return [
        "To let a role work in one workspace only, run as the owner of the database:",
        f"  grant usage on schema {SCHEMA} to ROLE;",
        f"  grant select, insert, update, delete on all tables in schema {SCHEMA} to ROLE;",
        f"  revoke insert, update, delete on {SCHEMA}.workspace_roles from ROLE;",
        f"  insert into {SCHEMA}.workspace_roles values ('{context.workspace}', 'ROLE');",
    ]
