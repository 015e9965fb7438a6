"""Reading the journal: listings, counts, and single entries by id."""

from collections.abc import Sequence
from typing import Any

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.errors import UsageError
from crewmem.ids import HAS_PREFIX, resolve_prefix
from crewmem.journal.entry import COLUMNS, Row
from crewmem.journal.listing import (
    MAX_LIMIT,
    TABLES,
    Entry,
    EntryFilter,
    EntryPage,
    load_entries,
    load_entry,
    parse_cursor,
    to_entry,
    where,
)
from crewmem.times import stored_day

EVERYTHING = EntryFilter()


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
        condition = where(self.context, wanted, "journal_entries")
        rows = self.context.db.all(
            f"select {COLUMNS} from journal_entries where {condition.sql} and seq > :after_seq"
            " order by seq limit :limit",
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
        return [where(self.context, wanted, table) for table in tables]
