"""A shared store in PostgreSQL, which homes mirror.

A write takes the lock of the store, applies newer changes, runs on the local file while its own
changes are recorded, and commits them in PostgreSQL and then locally. See docs/hosts.md.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import INDEX_FILE, Context
from crewmem.embeddings.store import CollectionName, erase_vectors, find_unused_keys
from crewmem.errors import (
    ConflictError,
    CrewmemError,
    DamagedError,
    NotFoundError,
    ServiceError,
    SettingsError,
)
from crewmem.files.directories import make_directories
from crewmem.files.versions import remove_unused_contents
from crewmem.hosts import checkout
from crewmem.hosts.changes import (
    Recorder,
    Row,
    SharedChange,
    Table,
    apply_rows,
    erases_text,
    has_data,
    hash_change,
    load_tables,
    read_local,
    sum_digests,
    verify_change,
)
from crewmem.hosts.connection import DISK_SECONDS, READ_SECONDS, Head, Server, check_schema
from crewmem.hosts.embeddings import SharedEmbeddings
from crewmem.hosts.outbox import count_commands, remove_command
from crewmem.ids import new_id
from crewmem.journal.episodes import select_new
from crewmem.protocols import Embedder
from crewmem.search.mentions import erase_mentions
from crewmem.storage.derived import forget_queries
from crewmem.storage.filesystem import read_time, undo_on_failure, write_time
from crewmem.storage.sqlite import Database, SharedStatus, scrub, transaction
from crewmem.times import format_age, format_time

if TYPE_CHECKING:  # psycopg takes longer to import than most commands take to run
    from psycopg import Cursor

    from crewmem.hosts.timeouts import TimeoutConnection

BATCH_SIZE = 2_000
"""Maximum number of changes that are read at once."""

COMPARE_TRIES = 5

READ_CHANGES = (
    "select s.store_id, s.schema, s.position, s.hash, s.journal_seq,"
    " c.position, c.host, c.actor, c.at, c.erases, c.outbox, c.digests, c.previous, c.hash,"
    " (select json_agg(json_build_array(r.table_name, r.workspace_id, r.is_deleted, r.key,"
    "  r.row::text, r.salt, r.digest) order by r.number)"
    "  from change_rows r where r.position = c.position),"
    " (select m.position from mirrors m where m.host = %s)"
    " from store s left join changes c on c.position > %s and c.position <= %s order by c.position"
)
"""Each result has the head of the store, a change with its rows, and the position that this host
reported. Without newer changes there is one result, whose change is null."""


class MirrorState(NamedTuple):
    """The state of this mirror; the columns of the table ``shared_store``."""

    store_id: str
    host: str
    position: int
    hash: str
    journal_seq: int
    is_behind: bool


class PostgresStore:
    """Orders the transactions of a home among the mirrors of its store.

    Attributes:
        context: Context of the home; its actor is recorded with each change.
        server: The server with the store.
        problem: Code of the error of the last refresh; "" if it succeeded.
        delivering: Id of the queued command that is being delivered; "" for none.
    """

    def __init__(self, context: Context, db: Database) -> None:
        self.context = context
        self.problem = ""
        self.delivering = ""
        self._db = db
        self.server = Server(context)

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The shared tables, by name."""
        return load_tables(self._db)

    def load_state(self) -> MirrorState:
        """Return the state of this mirror.

        Raises:
            SettingsError: If the home has not joined the store.
        """
        state = read_state(self._db)
        if state is None:
            raise SettingsError(
                f"this home has not joined the store {self.context.settings['store']}",
                code="store-not-joined",
                hint=self.context.command(
                    "sync --push-all" if has_data(self._db) else "init --store"
                ),
            )
        return state

    @property
    def has_queued(self) -> bool:
        """Return whether commands are queued and there is a connection to the server."""
        return not self.server.is_disconnected and count_commands(self._db) > 0

    def describe(self) -> SharedStatus:
        """Return the state of the mirror, for `status`."""
        state = read_state(self._db)
        return SharedStatus(
            state.store_id if state else "",
            state.position if state else 0,
            self.problem,
            format_time(self.last_contact) if self.last_contact else "",
            count_commands(self._db),
        )

    def close(self) -> None:
        """Close the connection to the server."""
        self.server.close()

    # Reading

    def refresh(self) -> None:
        """Bring the mirror up to date, in one round trip; warn if the server cannot be used."""
        if self._db.in_transaction:
            return
        context = self.context
        try:
            self.server.connect(wait=READ_SECONDS)
            self.bring_up_to_date()
        except CrewmemError as error:
            self.problem = error.code
            hint = error.hint or context.command("doctor")
            at = self.last_contact
            mirror = (
                f"the mirror as of {format_age(at, context.now)}"
                if at is not None
                else "a mirror that never reached it"
            )
            context.warn(error.code, f"{error.message}; answered from {mirror}", hint)

    def bring_up_to_date(self) -> int:
        """Apply the newer changes of the server; return their number.

        Raises:
            CrewmemError: If the server cannot be used.
        """
        state = self.load_state()
        head = self._pull(state)
        write_time(self._contact_path, self.context.now)
        if self.load_state().is_behind:
            checkout.check_out_files(self.context, self._db)
        self.problem = ""
        return head.position - state.position

    @property
    def last_contact(self) -> datetime | None:
        """Time of the server's last response; None for never."""
        return read_time(self._contact_path)

    @property
    def _contact_path(self) -> Path:
        """The file with the time of the server's last response."""
        return self.context.lock_path("store")

    def _pull(self, state: MirrorState) -> Head:
        """Read and apply the changes after the position of the mirror; return the head."""
        while True:
            rows = self.server.query(
                READ_CHANGES, (state.host, state.position, state.position + BATCH_SIZE)
            )
            if not rows:
                raise self.server.missing_error()
            size = len(Head._fields)
            head, reported = Head(*rows[0][:size]), rows[0][-1] or 0
            changes = [
                SharedChange._make((*fields, [Row(*each) for each in changed_rows or ()]))
                for *fields, changed_rows, _ in (row[size:] for row in rows)
                if fields[0] is not None
            ]
            self._check_head(state, head, changes)
            if not changes:
                return head
            self._apply(changes, head, reported)
            before, state = state, self.load_state()
            if state.host != before.host:
                self.server.query("delete from mirrors where host = %s", (before.host,))
            if changes[-1].position >= head.position:
                with contextlib.suppress(CrewmemError):
                    self.server.query(*make_position_statement(changes[-1].position, state.host))
                return head

    def _check_head(self, state: MirrorState, head: Head, changes: Sequence[SharedChange]) -> None:
        """Raise an error unless the server has the store and the changes that are mirrored here."""
        if head.store_id != state.store_id:
            raise SettingsError(
                f"the server has the store {head.store_id}, but this home is a mirror of"
                f" {state.store_id}",
                code="other-store",
                hint=self.context.command("config get", "store"),
            )
        check_schema(head.schema)
        before = changes[0].previous if changes else head.hash
        if head.position < state.position or before != state.hash:
            raise diverged_error(self.context, state.position)

    def _apply(self, changes: Sequence[SharedChange], head: Head, reported: int) -> None:
        """Apply changes in one local transaction, except those applied in the meantime.

        If this host *reported* a later position than it has, another home has the same host id,
        because one is a copy of the other. This one takes a new id, so that leases tell them apart.
        """
        db = self._db
        with undo_on_failure() as undo, transaction(db, local=True):
            state = self.load_state()
            if reported > state.position:
                host = new_id("h", self.context.random)
                db.execute("update shared_store set host = ?", (host,))
            new = [change for change in changes if change.position > state.position]
            previous = state.hash
            for change in new:
                verify_change(change, previous)
                previous = change.hash
            rows = [row for change in new for row in change.rows]
            erases = any(change.erases for change in new)
            erased_vectors = self._prepare_erasure(rows) if erases else {}
            deleted_contents = checkout.find_deleted_contents(db, self.tables, rows)
            self._store_rows(rows, undo)
            for change in new:
                if change.outbox:
                    remove_command(db, change.outbox)
            if new:
                has_versions = any(row.table == "file_versions" for row in rows)
                db.execute(
                    "update shared_store set position = ?, hash = ?,"
                    " journal_seq = max(journal_seq, ?), is_behind = max(is_behind, ?)",
                    (new[-1].position, previous, head.journal_seq, has_versions),
                )
        remove_unused_contents(self.context, db, deleted_contents)
        for collection, keys in erased_vectors.items():
            self._erase_derived(collection, keys)
        if erases:
            scrub(db)

    def _store_rows(self, rows: Sequence[Row], undo: contextlib.ExitStack) -> None:
        """Write rows of the store here, with their files, episodes and directories."""
        db = self._db
        checkout.store_contents(self.context, self._fetch_contents(rows))
        last_seq = db.value("select coalesce(max(seq), 0) from journal_entries")
        homes = checkout.list_homes(db)
        apply_rows(db, self.tables, rows)
        with_entries = {r.workspace for r in rows if r.table == "journal_entries" and r.text}
        for workspace in sorted(with_entries):
            select_new(db, workspace, last_seq, self.context.now)
        if any(row.table in ("workspaces", "crews", "agents") for row in rows):
            checkout.move_agents(self.context, db, homes, undo)
            make_directories(self.context, db)

    def _erase_derived(self, collection: CollectionName, keys: Collection[int]) -> None:
        """Erase the vectors of purged texts, and the names in them."""
        workspace, store = collection
        index = self.context.derive(workspace=workspace).workspace_dir / INDEX_FILE
        erase_vectors(self.context, collection, keys)
        with contextlib.suppress(DamagedError):  # it will be rebuilt
            erase_mentions(index, store, find_unused_keys(self.context, collection, keys))

    def _prepare_erasure(self, rows: Sequence[Row]) -> dict[tuple[str, str], set[int]]:
        """Prepare the database for purging texts; delete their episodes and logged queries.

        Returns the keys of the vectors to erase, by collection.
        """
        db = self._db
        db.execute("pragma secure_delete = on")
        vector_keys: dict[tuple[str, str], set[int]] = {}
        for row in rows:
            if row.text is None or row.is_deleted or row.table not in ("facts", "journal_entries"):
                continue
            values = self.tables[row.table].decode(row.text)
            texts: list[str] = []
            if row.table == "facts" and not values["content_hash"]:
                store, named = "facts", {"id": values["id"]}
                keys = db.column("select vector_key from facts where id = :id", named)
                texts = db.column(
                    "select content from facts where id = :id union"
                    " select content from fact_revisions where fact_id = :id"
                    " and content is not null",
                    named,
                )
            elif row.table == "journal_entries" and not values["salt"]:
                store = "journal"
                keys = db.column(
                    "delete from episodes where seq = ? returning vector_key", (values["seq"],)
                )
            else:
                continue
            vector_keys.setdefault((row.workspace, store), set()).update(keys)
            forget_queries(db, row.workspace, values["id"], texts)
        return vector_keys

    def _fetch_contents(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Fetch the contents of new file versions that are missing here, by hash."""
        digests = sorted(digest for _, digest in checkout.list_contents(self.tables, rows))
        missing = [each for each in digests if not checkout.has_content(self.context, each)]
        if not missing:
            return {}
        contents = self.server.query(
            "select sha256, content from file_contents where sha256 = any(%s)", (missing,)
        )
        return {digest: bytes(content) for digest, content in contents}

    # Writing

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Callable[[], None]]:
        """Take the lock of the store and apply newer changes; yield the function that commits.

        A transaction of the local database runs inside the block, and calls the function before it
        commits. If the block fails, the lock is released, and the files that the transaction wrote
        are restored. If the server cannot be used, the function raises the reason, unless no
        shared table changes.
        """
        state = self.load_state()
        head, failure = None, None
        try:
            head = self.server.lock()
            if (head.position, head.hash) != (state.position, state.hash):
                self._pull(state)
            else:
                self._check_head(state, head, [])
        except (ServiceError, DamagedError, NotFoundError) as error:
            self.server.release()
            failure = error
        except BaseException:
            self.server.release()
            raise
        recorder = Recorder(self._db, self.tables)

        def commit() -> None:
            recorder.collect(self.context.random)
            if not recorder.shared:
                self.server.release()
            elif failure is not None:
                raise failure
            else:
                assert head is not None
                self._commit(head, recorder.shared)

        try:
            yield commit
        except BaseException as error:
            self.server.release()
            item = ""
            if recorder.shared:  # the writer of the files still holds the lock of their directory
                rows = [*recorder.shared, *recorder.private]
                item = checkout.restore_files(self.context, self._db, self.tables, rows)
            if item and isinstance(error, ConflictError) and error.code == checkout.FILE_CONFLICT:
                error.details = {**error.details, "review": item}
                error.hint = self.context.command("review show", item)
            raise
        finally:
            recorder.close()

    def _commit(self, head: Head, rows: list[Row]) -> None:
        """Send a change with *rows* to PostgreSQL, after the change of *head*; commit it there."""
        bases = checkout.check_bases(self._db, self.tables, rows)
        # If the outcome of the commit is unknown, the command is queued with this id. If the
        # change arrives later, it removes the command from the outbox.
        command_id = self.delivering or new_id("o", self.context.random)
        context, state = self.context, self.load_state()
        position = head.position + 1
        change = SharedChange(
            position=position,
            host=state.host,
            actor=str(context.access.actor),
            at=context.now_text,
            erases=erases_text(self.tables, rows),
            outbox=command_id,
            digests=[row.digest for row in rows],
            previous=head.hash,
            hash="",
            rows=rows,
        )
        change = change._replace(hash=hash_change(change))
        entries = self.tables["journal_entries"]
        seqs = [entries.decode(r.text or "")["seq"] for r in rows if r.table == "journal_entries"]
        journal_seq = max([head.journal_seq, *seqs])
        self._send(change, journal_seq)
        self._db.execute(
            "update shared_store set position = ?, hash = ?, journal_seq = ?",
            (position, change.hash, journal_seq),
        )
        if self.delivering:
            remove_command(self._db, self.delivering)
        checkout.set_bases(self._db, bases)

    def open_embeddings(
        self, collection: tuple[str, str], embedder: Embedder, keys: Collection[int]
    ) -> SharedEmbeddings:
        """Return the shared embeddings of the texts with *keys*."""
        position = self.load_state().position
        return SharedEmbeddings(self.server, collection, embedder, frozenset(keys), position)

    def _send(self, change: SharedChange, journal_seq: int) -> None:
        """Send a change and commit; if the response is lost, check whether it was committed."""
        connection = self.server.connection  # not a new one, which would not have the lock
        assert connection is not None
        try:
            with (
                connection.allow_silence(DISK_SECONDS),
                connection.pipeline(),
                connection.cursor() as cursor,
            ):
                self._write_rows(cursor, change.rows)
                contents = checkout.list_contents(self.tables, change.rows)
                checkout.send_contents(self.context, cursor, sorted(contents))
                if any(row.table == "file_versions" and row.is_deleted for row in change.rows):
                    cursor.execute(
                        "delete from file_contents c where not exists (select 1 from file_versions"
                        " v where v.workspace = c.workspace_id and v.stored_sha256 = c.sha256)"
                    )
                if change.erases:
                    cursor.executemany(
                        "update change_rows set row = null, salt = '' where table_name = %s"
                        " and key = %s",
                        [(row.table, row.key) for row in change.rows],
                    )
                    cursor.execute(
                        "delete from embeddings where workspace_id = any(%s)",
                        (list({row.workspace for row in change.rows}),),
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
                cursor.execute(*make_position_statement(change.position, change.host))
                cursor.execute("commit")
        except Exception as error:
            if self._was_committed(change):
                return
            converted = self.server.convert_error(error)
            if connection.closed:
                converted.message += "; it is unknown whether this was stored until it is back"
                converted.details = {**converted.details, "change": change.outbox}
            raise converted from error

    def _write_rows(self, cursor: Cursor[Any], rows: Sequence[Row]) -> None:
        """Insert, update and delete rows of the tables on the server."""
        groups: dict[tuple[bool, str], list[dict[str, Any]]] = {}
        for row in rows:
            values = self.tables[row.table].decode(row.text or "")
            groups.setdefault((row.is_deleted, row.table), []).append(values)
        for (is_deleted, name), records in groups.items():
            table = self.tables[name]
            make_sql = table.delete if is_deleted else table.upsert
            cursor.executemany(make_sql(lambda column: f"%({column})s"), records)

    def _was_committed(self, change: SharedChange) -> bool:
        """Return whether a change was committed although the response was lost."""
        if self.server.connection is None or not self.server.connection.closed:
            return False
        try:
            rows = self.server.query(
                "select hash from changes where position = %s", (change.position,)
            )
        except CrewmemError:
            return False
        return bool(rows) and rows[0][0] == change.hash

    @contextlib.contextmanager
    def lease(self, name: str) -> Iterator[bool]:
        """Hold the lease *name* inside the block; yield False if another host has it.

        The mirror is refreshed first, so that it has the changes of the previous holder.
        """
        with self.server.lease(name, self.load_state().host) as is_held:
            if is_held:
                self.refresh()
            yield is_held

    def find_differences(self) -> list[str]:
        """Compare the rows of the mirror with those of the server.

        Returns a description of each table that differs. If other hosts write all the time, the
        result is empty.
        """
        db = self._db
        for _ in range(COMPARE_TRIES):
            self.bring_up_to_date()
            connection = self.server.connect()
            try:
                connection.execute("begin isolation level repeatable read, read only")
                [(position,)] = connection.execute("select position from store").fetchall()
                db.execute("begin")
                if self.load_state().position == position:
                    return self._compare_tables(connection)
            except Exception as error:
                raise self.server.convert_error(error) from error
            finally:
                if db.connection.in_transaction:
                    db.connection.execute("rollback")
                self.server.release()
        return []  # each pull verified the hashes of the changes that it applied

    def _compare_tables(self, connection: TimeoutConnection) -> list[str]:
        differences = []
        for table in self.tables.values():
            here = sum_digests(read_local(self._db, table))
            with connection.cursor() as cursor:
                rows = cursor.stream(f"select {', '.join(table.columns)} from {table.name}")
                there = sum_digests(table.encode_values(row) for row in rows)
            if here != there:
                differences.append(f"{table.name} ({here[0]:,} rows here, {there[0]:,} there)")
        return differences


def read_state(db: Database) -> MirrorState | None:
    """Return the state of a mirror; None if the home has not joined a store."""
    row = db.one("select store_id, host, position, hash, journal_seq, is_behind from shared_store")
    return MirrorState(*row) if row else None


def attach_store(context: Context, db: Database) -> None:
    """Connect *db* to the store of the settings, and bring the mirror up to date."""
    store = PostgresStore(context, db)
    db.shared = store
    store.refresh()


def get_store(context: Context) -> PostgresStore | None:
    """Return the shared store of a home; None without one."""
    if not context.has_db:
        return None
    store = context.db.shared
    return store if isinstance(store, PostgresStore) else None


def diverged_error(context: Context, position: int) -> DamagedError:
    """Return the error for a server without the change that the mirror has at *position*."""
    return DamagedError(
        f"the mirror has change {position}, but the server does not: the server was restored from"
        " an older backup",
        code="store-diverged",
        hint="restore a newer backup; or set store to an empty database, and run"
        f" {context.command('sync --push-all')} on the most up-to-date mirror",
    )


def make_position_statement(position: int, host: str) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL and parameters that store the position of a mirror."""
    sql = (
        "insert into mirrors (host, position, seen_at) values (%s, %s, now())"
        " on conflict (host) do update set position = excluded.position, seen_at = now()"
    )
    return sql, (host, position)
