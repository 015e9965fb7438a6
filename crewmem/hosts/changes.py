"""Change records: what a transaction changed in the shared tables, and applying it elsewhere.

A change holds the rows as they are after the transaction, so applying one twice does nothing,
and rows that a purge blanked can be left out.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import apsw

from crewmem.errors import ConflictError, DamagedError
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
"""Tables of the shared truth, each with its column that names the workspace."""

FULL_TEXTS = ("journal_entries", "facts")
"""Tables whose full text is written by who inserts a row; triggers do the rest."""

SHARED_FILES = ("crew:", "workspace:")
"""Beginnings of the paths of memory files that are shared; an agent's own stay on its host."""

IS_SHARED = " or ".join(f"path like '{start}%'" for start in SHARED_FILES)
"""Condition for their versions."""


class Table(NamedTuple):
    """A shared table.

    Attributes:
        columns: Name and SQLite type of each.
        key: Columns of the primary key.
        workspace: The column that names the workspace.
    """

    name: str
    columns: dict[str, str]
    required: frozenset[str]
    key: tuple[str, ...]
    workspace: str

    def upsert(self, marker: Callable[[str], str]) -> str:
        """Return the statement that stores a row; *marker* makes the parameter of a column."""
        rest = [name for name in self.columns if name not in self.key]
        sets = ", ".join(f"{name} = excluded.{name}" for name in rest)
        return (
            f"insert into {self.name} ({', '.join(self.columns)})"
            f" values ({', '.join(marker(name) for name in self.columns)})"
            f" on conflict ({', '.join(self.key)}) do "
            + (f"update set {sets}" if rest else "nothing")
        )

    def delete(self, marker: Callable[[str], str]) -> str:
        """Return the statement that deletes a row by its key."""
        return f"delete from {self.name} where {self.condition(marker)}"

    def condition(self, marker: Callable[[str], str]) -> str:
        """Return the condition that names a row by its key."""
        return " and ".join(f"{name} = {marker(name)}" for name in self.key)

    def encode(self, values: dict[str, Any]) -> str:
        """Return a row, or the key of one, as JSON: the same row, the same text."""
        plain = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in values.items()
        }
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))

    def encode_values(self, values: Iterable[Any]) -> str:
        """Return a row as JSON, given its values in the order of the columns."""
        return self.encode(dict(zip(self.columns, values, strict=True)))

    def decode(self, text: str) -> dict[str, Any]:
        """Return a row from its JSON."""
        values: dict[str, Any] = json.loads(text)
        for name, value in values.items():
            if self.columns[name] == "blob" and value is not None:
                values[name] = base64.b64decode(value)
        return values


class Row(NamedTuple):
    """A row of a change.

    Attributes:
        key: Its primary key as JSON.
        text: The row as JSON, for a deleted one its key; None where it was blanked, or may not
            be read.
        digest: Of *text*, with *salt*.
    """

    table: str
    workspace: str
    is_deleted: bool
    key: str
    text: str | None
    salt: str
    digest: str


class SharedChange(NamedTuple):
    """One transaction.

    Attributes:
        position: Without gaps, from 1.
        erases: Whether it erased text: a purge.
        outbox: Id of the queued command that it delivered; "" for none.
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
    """Return the shared tables as the schema of the home declares them."""
    tables = {}
    for name, workspace in SHARED_TABLES.items():
        columns = db.all(f"pragma table_info({name})")
        key = sorted((place, column) for _, column, *_, place in columns if place)
        tables[name] = Table(
            name,
            {column: kind.lower() for _, column, kind, *_ in columns},
            frozenset(column for _, column, _, required, *_ in columns if required),
            tuple(column for _, column in key),
            workspace,
        )
    return tables


def digest_row(salt: str, table: str, text: str) -> str:
    """Return the salted digest of a row."""
    return sha256(f"{salt}\n{table}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def hash_change(change: SharedChange) -> str:
    """Return the hash of a change, which covers that of the change before."""
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
        private: Of what was collected, versions of files that are not shared.
    """

    def __init__(self, db: Database, tables: dict[str, Table]) -> None:
        self._db, self._tables = db, tables
        self.private: list[Row] = []
        self._session = apsw.Session(db.connection, "main")
        for name in tables:
            self._session.attach(name)

    def close(self) -> None:
        """Stop recording."""
        self._session.close()

    def collect(self, random: Callable[[int], bytes]) -> list[Row]:
        """Return the rows that were changed, as they are now."""
        if self._session.is_empty:
            return []
        found: list[Row] = []
        for change in apsw.Changeset.iter(self._session.changeset()):
            table = self._tables[change.name]
            values = change.new if change.op == "INSERT" else change.old
            assert values is not None
            named = dict(zip(table.columns, values, strict=True))
            key = {name: named[name] for name in table.key}
            current = self._db.one(
                f"select {', '.join(table.columns)} from {table.name}"
                f" where {table.condition(_bind)}",
                key,
            )
            row = dict(zip(table.columns, current, strict=True)) if current else named
            text = table.encode(row if current else key)
            salt = random(16).hex()
            made = Row(
                table=table.name,
                workspace=str(row[table.workspace]),
                is_deleted=current is None,
                key=table.encode(key),
                text=text,
                salt=salt,
                digest=digest_row(salt, table.name, text),
            )
            is_file = table.name == "file_versions"
            is_private = is_file and not str(row["path"]).startswith(SHARED_FILES)
            (self.private if is_private else found).append(made)
        return found


def erases_text(tables: dict[str, Table], rows: Iterable[Row]) -> bool:
    """Tell whether a transaction with these rows erased text that may not be kept anywhere."""
    for row in rows:
        if row.table == "journal_purges" and not row.is_deleted:
            return True
        if row.table == "operator_fields" and row.is_deleted:
            return True
        if row.table == "facts" and not row.is_deleted and row.text is not None:
            if not tables["facts"].decode(row.text)["content_hash"]:
                return True
    return False


def verify_change(change: SharedChange, previous: str) -> None:
    """Check that *change* follows the hash *previous*, and holds what was hashed.

    Raises:
        DamagedError: If it does not.
    """
    digests = set(change.digests)
    is_whole = all(
        row.digest in digests and row.digest == digest_row(row.salt, row.table, row.text)
        for row in change.rows
        if row.text is not None
    )
    if change.previous != previous or hash_change(change) != change.hash or not is_whole:
        raise DamagedError(
            f"change {change.position} of the shared store does not match its hash",
            code="store-changed",
            hint="compare the server with its backups: somebody changed it outside crewmem",
        )


def apply_rows(db: Database, tables: dict[str, Table], rows: Iterable[Row]) -> None:
    """Store the rows of changes, in order, in the open transaction."""
    upserts = {name: table.upsert(_bind) for name, table in tables.items()}
    deletes = {name: table.delete(_bind) for name, table in tables.items()}
    pending: list[Row] = []

    def store(row: Row) -> None:
        table = tables[row.table]
        values, condition = table.decode(row.text or ""), table.condition(_bind)
        has_text = table.name in FULL_TEXTS
        is_known = has_text and db.one(f"select 1 from {table.name} where {condition}", values)
        db.execute(upserts[row.table], values)
        if has_text and not is_known:
            db.execute(
                f"insert into {table.name}_fts (rowid, search_text)"
                f" select rowid, search_text from {table.name} where {condition}",
                values,
            )

    for row in rows:
        if row.text is None or row.table not in tables:
            continue
        if row.is_deleted:
            db.execute(deletes[row.table], tables[row.table].decode(row.text))
            continue
        try:
            store(row)
        except ConflictError:
            pending.append(row)
    # A row may need the place of another one that the same transaction changed: of two facts
    # with one topic key the old one steps back first.
    while pending:
        left = []
        for row in pending:
            try:
                store(row)
            except ConflictError:
                left.append(row)
        if len(left) == len(pending):
            for row in left:
                db.execute(deletes[row.table], tables[row.table].decode(row.key))
            for row in left:
                store(row)
            return
        pending = left


def _bind(column: str) -> str:
    return f":{column}"


def sum_digests(texts: Iterable[str]) -> tuple[int, str]:
    """Return how many rows there are, and a hash of them that does not depend on their order."""
    count, total = 0, 0
    for text in texts:
        count += 1
        total += int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    return count, f"{total % 2**256:064x}"


def only_shared(table: Table) -> str:
    """Return the condition that leaves out rows which stay on their host, or ""."""
    return f" where {IS_SHARED}" if table.name == "file_versions" else ""


def read_local(db: Database, table: Table) -> Iterator[str]:
    """Yield the shared rows of a table as JSON."""
    columns = ", ".join(table.columns)
    for values in db.execute(f"select {columns} from {table.name}{only_shared(table)}"):
        yield table.encode_values(values)
