"""Listing entries: filters, pages, counts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.errors import UsageError
from crewmem.ids import bad_cursor
from crewmem.journal.archive import unpack_row
from crewmem.journal.chain import COLUMNS, Row
from crewmem.journal.entry import Entry
from crewmem.storage.json_columns import load_object
from crewmem.times import format_time, local_day, parse_time

MAX_LIMIT = 1000


class EntryPage(NamedTuple):
    """Entries, newest first.

    Attributes:
        next: Cursor of the next page; None at the end.
    """

    entries: list[Entry]
    next: str | None


class EntryFilter(NamedTuple):
    """Which entries are wanted; empty fields do not restrict.

    Attributes:
        types: Patterns such as ``memory.*``.
        expression: For the full text, from `search.query`.
        episodes_only: Whether only episodes are wanted.
        visible_to: Narrows what the actor sees to a scope.
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
    return Entry(
        seq=row.seq,
        id=row.id,
        workspace_id=row.workspace_id,
        crew_id=row.crew_id,
        agent_id=row.agent_id,
        mission_id=row.mission_id,
        chain=row.chain,
        ts=row.ts,
        entry_type=row.entry_type,
        severity=row.severity,
        priority=row.priority,
        actor_type=row.actor_type,
        actor_id=row.actor_id,
        origin=row.origin,
        summary=row.summary,
        payload=load_object(row.payload),
        refs=load_object(row.refs),
        trace_id=row.trace_id,
        span_id=row.span_id,
        expires_at=row.expires_at,
        prev_hash=row.prev_hash,
        entry_hash=row.entry_hash,
        archived_at=archived_at,
        is_purged=not row.salt,
    )


def list_entries(
    context: Context,
    wanted: EntryFilter,
    *,
    limit: int,
    after: str | None = None,
    include_archive: bool = False,
) -> EntryPage:
    """Return a page of entries, newest first."""
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"the limit must be from 1 to {MAX_LIMIT}", code="out-of-range")
    if include_archive and (wanted.expression or wanted.episodes_only):
        raise UsageError(
            "archived entries are not in the full text and are not episodes",
            code="archive-not-searched",
            hint=context.command("journal list", "--include-archive"),
        )
    condition = where(context, wanted, "journal_entries")
    params: dict[str, Any] = {**condition.params, "limit": limit + 1}
    cursor = ""
    if after is not None:
        params["after_ts"], params["after_seq"], params["after_id"] = _parse_cursor(after)
        cursor = " and (ts, {seq}, id) < (:after_ts, :after_seq, :after_id)"
    if not include_archive:
        rows = context.db.all(
            f"select {COLUMNS} from journal_entries where {condition.sql}"
            f"{cursor.format(seq='seq')} order by ts desc, seq desc limit :limit",
            params,
        )
        entries = [to_entry(Row._make(row)) for row in rows[:limit]]
    else:
        archived = where(context, wanted, "journal_entries_archived")
        params |= archived.params
        found = context.db.all(
            f"select ts, seq, id from journal_entries where {condition.sql}"
            f"{cursor.format(seq='seq')}"
            f" union all select ts, 0, id from journal_entries_archived where {archived.sql}"
            f"{cursor.format(seq='0')} order by 1 desc, 2 desc, 3 desc limit :limit",
            params,
        )
        rows = found
        entries = [load_entry(context, entry_id) for _, _, entry_id in found[:limit]]
    last = entries[-1] if len(rows) > limit else None
    return EntryPage(entries, f"{last.ts}~{last.seq}~{last.id}" if last else None)


def load_entry(context: Context, entry_id: str) -> Entry:
    """Return the entry of the workspace with this id, archived or not, whole."""
    params = (context.workspace, entry_id)
    row = context.db.one(
        f"select {COLUMNS} from journal_entries where workspace_id = ? and id = ?", params
    )
    if row is not None:
        return to_entry(Row._make(row))
    original, content_sha, archived_at = context.db.one(
        "select original, content_sha, archived_at from journal_entries_archived"
        " where workspace_id = ? and id = ?",
        params,
    ) or (b"", "", "")
    row = unpack_row(entry_id, original, content_sha)
    return to_entry(row._replace(seq=0), archived_at=archived_at)


def list_after(context: Context, wanted: EntryFilter, seq: int) -> list[Entry]:
    """Return the entries that came after the place *seq*, oldest first."""
    condition = where(context, wanted, "journal_entries")
    rows = context.db.all(
        f"select {COLUMNS} from journal_entries where {condition.sql} and seq > :after_seq"
        " order by seq limit :limit",
        {**condition.params, "after_seq": seq, "limit": MAX_LIMIT},
    )
    return [to_entry(Row._make(row)) for row in rows]


def count_entries(context: Context, wanted: EntryFilter, by: str) -> dict[str, int]:
    """Count entries by ``type``, ``agent`` or ``day``; days are those of the time zone."""
    condition = where(context, wanted, "journal_entries")
    if by in ("type", "agent"):
        column = "entry_type" if by == "type" else "coalesce(agent_id, '')"
        rows = context.db.all(
            f"select {column}, count(*) from journal_entries where {condition.sql}"
            " group by 1 order by 2 desc, 1",
            condition.params,
        )
        return dict(rows)
    # Zones differ from UTC by multiples of a quarter of an hour.
    counts: dict[str, int] = {}
    for quarter, number in context.db.execute(
        "select substr(ts, 1, 14) || printf('%02d', substr(ts, 15, 2) / 15 * 15), count(*)"
        f" from journal_entries where {condition.sql} group by 1 order by 1 desc",
        condition.params,
    ):
        day = str(local_day(parse_time(quarter), context.zone))
        counts[day] = counts.get(day, 0) + number
    return counts


def where(context: Context, wanted: EntryFilter, table: str) -> Filter:
    """Return the condition for *wanted* among what the actor may read."""
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


def _parse_cursor(text: str) -> tuple[str, int, str]:
    parts = text.split("~", 2)
    if len(parts) != 3 or not parts[1].isdecimal():
        raise bad_cursor(text)
    return parts[0], int(parts[1]), parts[2]
