"""Listing entries: the record of an entry, filters, and pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.errors import NotFoundError
from crewmem.ids import bad_cursor
from crewmem.journal.archive import iterate_archive
from crewmem.journal.entry import COLUMNS, Row
from crewmem.storage.json_columns import load_object
from crewmem.times import format_time

MAX_LIMIT = 1000

TABLES = ("journal_entries", "journal_entries_archived")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened.

    Attributes:
        seq: Position in this home's journal; 0 for an archived entry.
        id: ``j_`` and 12 characters; imported entries keep their id.
        chain: Name of the hash chain, which belongs to a home or a shared store.
        ts: When it happened.
        priority: The current priority.
        summary: What happened; "" if purged.
        trace_id: Id of the session.
        entry_hash: Hash of the fields as written, and of *prev_hash*.
        archived_at: When compaction archived it; "" for other entries.
        is_purged: Whether its text was purged.
    """

    seq: int
    id: str
    workspace_id: str
    crew_id: str | None
    agent_id: str | None
    mission_id: str | None
    chain: str
    ts: str
    entry_type: str
    severity: str
    priority: str
    actor_type: str
    actor_id: str | None
    origin: str
    summary: str
    payload: dict[str, Any]
    refs: dict[str, Any]
    trace_id: str | None
    span_id: str | None
    expires_at: str | None
    prev_hash: str
    entry_hash: str
    archived_at: str = ""
    is_purged: bool = False


SHARED_FIELDS = [field.name for field in fields(Entry) if field.name in Row._fields]


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries, newest first.

    Attributes:
        next: Cursor of the next page; None on the last page.
    """

    entries: list[Entry]
    next: str | None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


class EntryFilter(NamedTuple):
    """A filter of entries; empty fields do not restrict.

    Attributes:
        types: Patterns such as ``memory.*``.
        expression: FTS5 expression, from `search.query`.
        episodes_only: Whether to list only episodes.
        visible_to: Scope within what the actor may read.
    """

    types: Sequence[str] = ()
    exclude_types: Sequence[str] = ()
    severities: Sequence[str] = ()
    priorities: Sequence[str] = ()
    crew: str | None = None
    agent: str | None = None
    trace: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    expression: str = ""
    episodes_only: bool = False
    visible_to: Scope | None = None


def to_entry(row: Row, *, archived_at: str = "") -> Entry:
    values: dict[str, Any] = {name: getattr(row, name) for name in SHARED_FIELDS}
    values["payload"], values["refs"] = load_object(row.payload), load_object(row.refs)
    return Entry(**values, archived_at=archived_at, is_purged=not row.salt)


def load_entries(context: Context, ids: set[str]) -> dict[str, Entry]:
    """Return the entries of the workspace with these ids, which may be archived."""
    rows = context.db.execute(
        f"select {COLUMNS} from journal_entries"
        " where workspace_id = ? and id in (select value from json_each(?))",
        (context.workspace, ids),
    )
    found = {row.id: to_entry(row) for row in map(Row._make, rows)}
    for row, archived_at in iterate_archive(context, ids=ids - found.keys()):
        found[row.id] = to_entry(row._replace(seq=0), archived_at=archived_at)
    return found


def load_entry(context: Context, entry_id: str) -> Entry:
    """Return the entry of the workspace with this id, which may be archived."""
    if entry := load_entries(context, {entry_id}).get(entry_id):
        return entry
    raise NotFoundError(f"there is no entry {entry_id}", code="entry-not-found")


def where(context: Context, wanted: EntryFilter, table: str) -> Filter:
    """Return the SQL condition for *wanted*, within what the actor may read."""
    access = context.access.journal(table=table, scope=wanted.visible_to)
    conditions = [access.sql]
    params = dict(access.params)

    def add(sql: str, **values: Any) -> None:
        conditions.append(sql)
        params.update(values)

    for name, patterns in (("types", wanted.types), ("exclude", wanted.exclude_types)):
        parts = []
        for index, pattern in enumerate(patterns):
            is_glob = any(sign in pattern for sign in "*?[")
            parts.append(f"entry_type {'glob' if is_glob else '='} :{name}_{index}")
            params[f"{name}_{index}"] = pattern
        if parts:
            conditions.append(f"{'not ' * (name == 'exclude')}({' or '.join(parts)})")
    for column, values in (("severity", wanted.severities), ("priority", wanted.priorities)):
        if values:
            names = [f"{column}_{index}" for index in range(len(values))]
            params.update(zip(names, values, strict=True))
            conditions.append(f"{column} in ({', '.join(f':{name}' for name in names)})")
    if wanted.crew:
        add("crew_id = :crew", crew=wanted.crew)
    if wanted.agent:
        add("agent_id = :agent", agent=wanted.agent)
    if wanted.trace:
        add("trace_id = :trace", trace=wanted.trace)
    if wanted.since:
        add("ts >= :since", since=format_time(wanted.since))
    if wanted.until:
        add("ts <= :until", until=format_time(wanted.until))
    if wanted.expression:
        add(
            "seq in (select rowid from journal_entries_fts"
            " where journal_entries_fts match :expression)",
            expression=wanted.expression,
        )
    if wanted.episodes_only:
        add("seq in (select seq from episodes)")
    return Filter(" and ".join(conditions), params)


def parse_cursor(text: str) -> tuple[str, int, str]:
    """Return time, *seq* and id of the last entry of the previous page."""
    parts = text.split("~", 2)
    if len(parts) != 3 or not parts[1].isdecimal():
        raise bad_cursor(text)
    return parts[0], int(parts[1]), parts[2]
