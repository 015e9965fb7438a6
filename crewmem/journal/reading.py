"""Reading the journal: listings, counts, and single entries by id."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.errors import NotFoundError, UsageError
from crewmem.ids import HAS_PREFIX, bad_cursor, resolve_prefix
from crewmem.journal.archive import iterate_archive
from crewmem.journal.entry import COLUMNS, TABLES, Entry, Row, to_entry
from crewmem.times import format_time, stored_day

MAX_LIMIT = 1000


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


EVERYTHING = EntryFilter()


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


CONDITIONS = {
    "severities": "severity in (select value from json_each(:severities))",
    "priorities": "priority in (select value from json_each(:priorities))",
    "crew": "crew_id = :crew",
    "agent": "agent_id = :agent",
    "trace": "trace_id = :trace",
    "since": "ts >= :since",
    "until": "ts <= :until",
    "expression": "seq in (select rowid from journal_entries_fts"
    " where journal_entries_fts match :expression)",
    "episodes_only": "seq in (select seq from episodes)",
}
"""Conditions of the fields of an EntryFilter, except patterns of types."""


KNOWN_TYPES = (
    "with recursive known (entry_type) as (select min(entry_type) from journal_entries union all"
    " select (select min(entry_type) from journal_entries where entry_type > known.entry_type)"
    " from known where entry_type is not null) select entry_type from known"
)
"""The types of all entries, from one look-up each in the index of types.

With them, a pattern of types finds the newest entries of each of its types in that index, however
rare the types are.
"""


def entry_filter(context: Context, wanted: EntryFilter, table: str) -> Filter:
    """Return the SQL condition for *wanted*, within what the actor may read."""
    access = context.access.journal(table=table, scope=wanted.visible_to)
    conditions = [access.sql]
    params = dict(access.params)
    for name, patterns in (("types", wanted.types), ("exclude", wanted.exclude_types)):
        parts = []
        for index, pattern in enumerate(patterns):
            is_glob = any(sign in pattern for sign in "*?[")
            parts.append(f"entry_type {'glob' if is_glob else '='} :{name}_{index}")
            params[f"{name}_{index}"] = pattern
        matches = " or ".join(parts)
        if " glob " in matches and table == "journal_entries":
            matches = f"entry_type in ({KNOWN_TYPES} where {matches})"
        if parts:
            conditions.append(f"{'not ' * (name == 'exclude')}({matches})")
    for name, condition in CONDITIONS.items():
        if value := getattr(wanted, name):
            conditions.append(condition)
            params[name] = format_time(value) if isinstance(value, datetime) else value
    return Filter(" and ".join(conditions), params)


def parse_cursor(text: str) -> tuple[str, int, str]:
    """Return time, *seq* and id of the last entry of the previous page."""
    parts = text.split("~", 2)
    if len(parts) != 3 or not parts[1].isdecimal():
        raise bad_cursor(text)
    return parts[0], int(parts[1]), parts[2]


class JournalReader:
    """The journal, as an actor may see it; read-only."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def find_id(self, prefix: str) -> str:
        """Return the id of the one entry that the actor may read and that begins so.

        Raises:
            NotFoundError: If there is none.
            UsageError: If the prefix is too short or ambiguous.
        """
        context = self.context
        found: list[str] = []
        for table in TABLES:
            access = context.access.journal(table=table, scope=Scope.CREW)
            found += context.db.column(
                f"select id from {table} where {access.sql} and {HAS_PREFIX} order by id limit 100",
                {**access.params, "prefix": prefix},
            )
        return resolve_prefix(prefix, found, "entry", context.command("journal list"))

    def get(self, prefix: str) -> Entry:
        """Return an entry, archived or not, whole."""
        return load_entry(self.context, self.find_id(prefix))

    def list(
        self,
        wanted: EntryFilter = EVERYTHING,
        *,
        limit: int = 50,
        after: str | None = None,
        include_archive: bool = False,
    ) -> EntryPage:
        """Return entries, newest first.

        Args:
            wanted: Which entries.
            limit: At most so many, up to 1,000.
            after: Cursor of the page before.
            include_archive: Whether archived entries are listed as well.
        """
        context = self.context
        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"the limit must be from 1 to {MAX_LIMIT}", code="out-of-range")
        conditions = self._conditions(wanted, include_archive=include_archive)
        params: dict[str, Any] = {"limit": limit + 1}
        if after is not None:
            params["after_ts"], params["after_seq"], params["after_id"] = parse_cursor(after)
        parts = []
        for table, seq, condition in zip(TABLES, ("seq", "0"), conditions, strict=False):
            params |= condition.params
            parts.append(f"select ts, {seq}, id from {table} where {condition.sql}")
            if after is not None:
                parts[-1] += f" and (ts, {seq}, id) < (:after_ts, :after_seq, :after_id)"
        found = context.db.all(
            f"{' union all '.join(parts)} order by 1 desc, 2 desc, 3 desc limit :limit", params
        )
        page = found[:limit]
        by_id = load_entries(context, {entry_id for *_, entry_id in page})
        cursor = "~".join(map(str, page[-1])) if len(found) > limit else None
        return EntryPage([by_id[entry_id] for *_, entry_id in page], cursor)

    def list_after(self, seq: int, wanted: EntryFilter = EVERYTHING) -> Sequence[Entry]:
        """Return entries that came after the place *seq*, oldest first, up to 1,000."""
        condition = entry_filter(self.context, wanted, "journal_entries")
        rows = self.context.db.all(
            f"select {COLUMNS} from journal_entries not indexed where {condition.sql}"
            " and seq > :after_seq order by seq limit :limit",
            {**condition.params, "after_seq": seq, "limit": MAX_LIMIT},
        )
        return [to_entry(Row._make(row)) for row in rows]

    def count_since_update(self, agent: str) -> int:
        """Return how many entries an agent has since its memory was last written."""
        return int(
            self.context.db.value(
                "select count(*) from journal_entries where workspace_id = :workspace"
                " and agent_id = :agent and seq > coalesce((select max(seq) from journal_entries"
                " where workspace_id = :workspace and agent_id = :agent"
                " and entry_type = 'memory.updated'), 0)",
                {"workspace": self.context.workspace, "agent": agent},
            )
        )

    def count_by(
        self, by: str, wanted: EntryFilter = EVERYTHING, *, include_archive: bool = False
    ) -> dict[str, int]:
        """Count entries by ``type``, ``agent`` or ``day``; days are those of the time zone."""
        conditions = self._conditions(wanted, include_archive=include_archive)
        entries = " union all ".join(
            f"select ts, entry_type, agent_id from {table} where {condition.sql}"
            for table, condition in zip(TABLES, conditions, strict=False)
        )
        params = conditions[-1].params | conditions[0].params
        if by in ("type", "agent"):
            column = "entry_type" if by == "type" else "coalesce(agent_id, '')"
            rows = self.context.db.all(
                f"select {column}, count(*) from ({entries}) group by 1 order by 2 desc, 1", params
            )
            return dict(rows)
        # Zones differ from UTC by multiples of a quarter of an hour.
        counts: dict[str, int] = {}
        for quarter, number in self.context.db.execute(
            "select substr(ts, 1, 14) || printf('%02d', substr(ts, 15, 2) / 15 * 15), count(*)"
            f" from ({entries}) group by 1 order by 1 desc",
            params,
        ):
            day = str(stored_day(quarter, self.context.zone))
            counts[day] = counts.get(day, 0) + number
        return counts

    def has_archived(self) -> bool:
        """Return whether entries of the workspace are archived."""
        sql = "select exists (select 1 from journal_entries_archived where workspace_id = ?)"
        return bool(self.context.db.value(sql, (self.context.workspace,)))

    def _conditions(self, wanted: EntryFilter, *, include_archive: bool) -> Sequence[Filter]:
        """Return the conditions for the entries, and for archived ones if they are included.

        Raises:
            UsageError: If archived entries cannot be chosen like that.
        """
        if include_archive and (wanted.expression or wanted.episodes_only):
            raise UsageError(
                "archived entries are not in the full text and are not episodes",
                code="archive-not-searched",
                hint=self.context.command("journal list", "--include-archive"),
            )
        tables = TABLES if include_archive else TABLES[:1]
        return [entry_filter(self.context, wanted, table) for table in tables]
