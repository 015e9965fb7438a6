"""Records the rows of shared tables that a transaction changes, and applies them in other mirrors.

A change contains the rows as they are after the transaction, so that applying it twice has no
effect, and rows that a purge blanked can be skipped.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import apsw

from crewmem.errors import ConflictError, DamagedError
from crewmem.storage.derived import BLANK_TITLE, FORGOTTEN_TYPE
from crewmem.storage.sqlite import Database

SHARED_TABLES = {
    "workspaces": "name",
    "crews": "workspace_id",
    "agents": "workspace_id",
    "memberships": "workspace_id",
    "journal_entries": "workspace_id",
    "journal_chains": "workspace_id",
    "journal_checkpoints": "workspace_id",
    "journal_entries_archived": "workspace_id",
    "journal_entry_priorities": "workspace_id",
    "journal_purges": "workspace_id",
    "entry_relations": "workspace_id",
    "facts": "workspace_id",
    "fact_revisions": "workspace_id",
    "votes": "workspace_id",
    "fact_relations": "workspace_id",
    "review_items": "workspace_id",
    "file_versions": "workspace",
    "operator_fields": "workspace_id",
    "operator_optouts": "workspace_id",
    "eval_suites": "workspace_id",
    "consolidation_watermarks": "workspace_id",
    "consolidation_candidates": "workspace_id",
}
"""Tables that mirrors share, with the column that contains the workspace."""

BLANKED = {
    "facts": ("content_hash", ""),
    "review_items": ("title", BLANK_TITLE),
    "consolidation_candidates": ("text", ""),
}
"""The column, by table, that shows that the text of a row was purged, and its value then."""

FULL_TEXT_TABLES = ("journal_entries", "facts")
"""Tables whose full-text index is updated by the code that inserts; triggers do the rest."""

SHARED_PREFIXES = ("crew:", "workspace:")
"""Prefixes of the paths of shared memory files; those of agents stay on their host."""

IS_SHARED_SQL = " or ".join(f"path like '{prefix}%'" for prefix in SHARED_PREFIXES)
"""SQL condition for versions of shared memory files."""


class Table(NamedTuple):
    """A shared table.

    Attributes:
        columns: SQLite types by column, in order.
        required: Columns that are not null.
        key: Columns of the primary key.
        workspace: The column that contains the workspace.
    """

    name: str
    columns: dict[str, str]
    required: frozenset[str]
    key: tuple[str, ...]
    workspace: str

    def upsert(self, marker: Callable[[str], str]) -> str:
        """Return the SQL that inserts or updates a row.

        Args:
            marker: Returns the parameter marker of a column.
        """
        rest = [name for name in self.columns if name not in self.key]
        sets = ", ".join(f"{name} = excluded.{name}" for name in rest)
        return (
            f"insert into {self.name} ({', '.join(self.columns)})"
            f" values ({', '.join(marker(name) for name in self.columns)})"
            f" on conflict ({', '.join(self.key)}) do "
            + (f"update set {sets}" if rest else "nothing")
        )

    def delete(self, marker: Callable[[str], str]) -> str:
        """Return the SQL that deletes a row by its key; *marker* as for `upsert`."""
        return f"delete from {self.name} where {self.condition(marker)}"

    def condition(self, marker: Callable[[str], str]) -> str:
        """Return the SQL condition that selects a row by its key; *marker* as for `upsert`."""
        return " and ".join(f"{name} = {marker(name)}" for name in self.key)

    def encode(self, values: dict[str, Any]) -> str:
        """Encode a row, or a key, as JSON. Equal rows give equal texts."""
        encodable = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in values.items()
        }
        return json.dumps(encodable, ensure_ascii=False, separators=(",", ":"))

    def encode_values(self, values: Iterable[Any]) -> str:
        """Encode a row, given as its values in the order of the columns."""
        return self.encode(dict(zip(self.columns, values, strict=True)))

    def decode(self, text: str) -> dict[str, Any]:
        """Decode a row or key from JSON."""
        values: dict[str, Any] = json.loads(text)
        for name, value in values.items():
            if self.columns[name] == "blob" and value is not None:
                values[name] = base64.b64decode(value)
        return values


class Row(NamedTuple):
    """A row of a change.

    Attributes:
        key: Primary key as JSON.
        text: The row as JSON, or the key if it was deleted; None if it was blanked, or if the
            role of this host may not read it.
        digest: Salted hash of *text*; see `digest_row`.
    """

    table: str
    workspace: str
    is_deleted: bool
    key: str
    text: str | None
    salt: str
    digest: str


class SharedChange(NamedTuple):
    """The changes of one transaction.

    Attributes:
        position: Counted from 1 without gaps.
        erases: Whether it was a purge, which erased text.
        outbox: Id that its command has in the outbox, if it was or will be queued there.
        digests: Digests of *rows*.
        previous: Hash of the change before.
    """

    position: int
    host: str
    actor: str
    at: str
    erases: bool
    outbox: str
    digests: list[str]
    previous: str
    hash: str
    rows: list[Row]


def load_tables(db: Database) -> dict[str, Table]:
    """Return the shared tables by name, from the schema of the home."""
    tables = {}
    for name, workspace in SHARED_TABLES.items():
        columns = db.all(f"pragma table_info({name})")
        key = sorted((position, column) for _, column, *_, position in columns if position)
        tables[name] = Table(
            name,
            {column: kind.lower() for _, column, kind, *_ in columns},
            frozenset(column for _, column, _, required, *_ in columns if required),
            tuple(column for _, column in key),
            workspace,
        )
    return tables


def has_data(db: Database) -> bool:
    """Return whether a home contains more shared rows than `init` creates."""
    for name, table in load_tables(db).items():
        initial = 1 if name == "workspaces" else 0
        rows = f"select 1 from {name}{shared_where(table)} limit 2"
        if db.value(f"select count(*) from ({rows})") > initial:
            return True
    return False


def digest_row(salt: str, table: str, text: str) -> str:
    """Return the salted hash of a row as JSON."""
    return sha256(f"{salt}\n{table}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def hash_change(change: SharedChange) -> str:
    """Return the hash of a change, which covers the hash of the change before."""
    fields = [
        change.position,
        change.host,
        change.actor,
        change.at,
        change.erases,
        change.outbox,
        list(change.digests),
        change.previous,
    ]
    return sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()


class Recorder:
    """Records which rows of shared tables a local transaction changes.

    Attributes:
        shared: Collected rows, deleted ones first.
        private: Collected versions of files that are not shared.
    """

    def __init__(self, db: Database, tables: dict[str, Table]) -> None:
        self._db, self._tables = db, tables
        self.shared: list[Row] = []
        self.private: list[Row] = []
        self._session = apsw.Session(db.connection, "main")
        for name in tables:
            self._session.attach(name)

    def close(self) -> None:
        """Stop recording."""
        self._session.close()

    def collect(self, random: Callable[[int], bytes]) -> None:
        """Collect the rows that were changed, as they are now.

        Args:
            random: Returns random bytes, for salts.
        """
        for change in apsw.Changeset.iter(self._session.changeset()):
            table = self._tables[change.name]
            values = change.new if change.op == "INSERT" else change.old
            assert values is not None
            recorded = dict(zip(table.columns, values, strict=True))
            key = {name: recorded[name] for name in table.key}
            current = self._db.one(
                f"select {', '.join(table.columns)} from {table.name}"
                f" where {table.condition(_bind)}",
                key,
            )
            fields = dict(zip(table.columns, current, strict=True)) if current else recorded
            text = table.encode(fields if current else key)
            salt = random(16).hex()
            row = Row(
                table=table.name,
                workspace=str(fields[table.workspace]),
                is_deleted=current is None,
                key=table.encode(key),
                text=text,
                salt=salt,
                digest=digest_row(salt, table.name, text),
            )
            is_file = table.name == "file_versions"
            is_private = is_file and not str(fields["path"]).startswith(SHARED_PREFIXES)
            (self.private if is_private else self.shared).append(row)
        self.shared.sort(key=lambda row: not row.is_deleted)


def erases_text(tables: dict[str, Table], rows: Iterable[Row]) -> bool:
    """Return whether *rows* purge text, which must then be erased everywhere."""
    for row in rows:
        if row.table == "journal_purges" and not row.is_deleted:
            return True
        if row.table == "operator_fields" and row.is_deleted:
            return True
        if row.table == "journal_entries" and f'"{FORGOTTEN_TYPE}"' in (row.text or ""):
            return True
        if row.table in BLANKED and not row.is_deleted and row.text is not None:
            column, blank = BLANKED[row.table]
            if tables[row.table].decode(row.text)[column] == blank:
                return True
    return False


def verify_change(change: SharedChange, previous: str) -> None:
    """Check that *change* follows the change with the hash *previous*, and matches its own hash.

    Raises:
        DamagedError: If it does not.
    """
    digests = set(change.digests)
    has_valid_rows = all(
        row.digest in digests and row.digest == digest_row(row.salt, row.table, row.text)
        for row in change.rows
        if row.text is not None
    )
    if change.previous != previous or hash_change(change) != change.hash or not has_valid_rows:
        raise DamagedError(
            f"change {change.position} of the shared store does not match its hash",
            code="store-changed",
            hint="compare the server with its backups: somebody changed it outside crewmem",
        )


def apply_rows(db: Database, tables: dict[str, Table], rows: Iterable[Row]) -> None:
    """Store the rows of changes, in order, in the open transaction."""
    upserts = {name: table.upsert(_bind) for name, table in tables.items()}
    deletes = {name: table.delete(_bind) for name, table in tables.items()}

    def store(row: Row) -> None:
        table = tables[row.table]
        values, condition = table.decode(row.text or ""), table.condition(_bind)
        has_full_text = table.name in FULL_TEXT_TABLES
        exists = has_full_text and db.one(f"select 1 from {table.name} where {condition}", values)
        db.execute(upserts[row.table], values)
        if has_full_text and not exists:
            db.execute(
                f"insert into {table.name}_fts (rowid, search_text)"
                f" select rowid, search_text from {table.name} where {condition}",
                values,
            )

    def store_all(pending: Iterable[Row]) -> list[Row]:
        failed = []
        for row in pending:
            try:
                store(row)
            except ConflictError:
                failed.append(row)
        return failed

    # A row may conflict with the earlier state of another changed row. For example, of two facts
    # with the same topic key, the old one must become superseded first.
    pending: list[Row] = []
    for row in rows:
        if row.text is None or row.table not in tables:
            continue
        if row.is_deleted:
            db.execute(deletes[row.table], tables[row.table].decode(row.text))
        else:
            pending += store_all([row])
    while pending:
        failed = store_all(pending)
        if len(failed) == len(pending):  # they conflict with each other: all give way first
            for row in failed:
                db.execute(deletes[row.table], tables[row.table].decode(row.key))
            for row in failed:
                store(row)
            return
        pending = failed


def _bind(column: str) -> str:
    return f":{column}"


def sum_digests(texts: Iterable[str]) -> tuple[int, str]:
    """Return the number of rows, and a hash of them that does not depend on their order."""
    count, total = 0, 0
    for text in texts:
        count += 1
        total += int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    return count, f"{total % 2**256:064x}"


def shared_where(table: Table) -> str:
    """Return the ``where`` clause that selects the shared rows of a table; "" for all."""
    return f" where {IS_SHARED_SQL}" if table.name == "file_versions" else ""


def read_local(db: Database, table: Table) -> Iterator[str]:
    """Yield the shared rows of a table as JSON."""
    columns = ", ".join(table.columns)
    for values in db.execute(f"select {columns} from {table.name}{shared_where(table)}"):
        yield table.encode_values(values)
