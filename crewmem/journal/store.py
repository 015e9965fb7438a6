"""The journal of a workspace: appending, reading, listing. Other modules hold the rest."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.errors import ConflictError, RefusedError, UsageError
from crewmem.ids import HAS_PREFIX, resolve_prefix
from crewmem.journal import episodes
from crewmem.journal.archive import iterate_archive
from crewmem.journal.chain import COLUMNS, Chains, Row, store_signed
from crewmem.journal.entry import MAX_SUMMARY, NewEntry, check_entry
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
from crewmem.origins import lowest_origin
from crewmem.protocols import EntryFields, ReviewWriter
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import scrub, transaction
from crewmem.times import local_day, parse_time

if TYPE_CHECKING:  # each is imported when it is first used
    from crewmem.journal.compaction import CompactionPlan, FindEvidence
    from crewmem.journal.import_export import ImportResult
    from crewmem.journal.priorities import EntryDetail
    from crewmem.journal.verify import ChainReport

ACTOR_TYPES_BY_KIND = {"agent": "agent", "lead": "agent", "operator": "user", "system": "system"}

EVERYTHING = EntryFilter()


class Journal:
    """The journal, as an actor sees it. What search asks of its episodes is in `source`.

    Attributes:
        chains: Its hash chains.
    """

    def __init__(
        self, context: Context, open_review: Callable[[], ReviewWriter] | None = None
    ) -> None:
        """Open the journal.

        Args:
            open_review: Opens the queue in which refused entries wait for an operator.
        """
        self.context = context
        self._open_review = open_review
        self.chains = Chains(context)

    # Writing

    def add(
        self,
        entry_type: str,
        summary: str,
        *,
        ts: datetime | None = None,
        expires_at: datetime | None = None,
        **fields: Unpack[EntryFields],
    ) -> Entry:
        """Append an entry that somebody reports. Its texts are screened.

        Secrets are redacted; passages with an attack are left out, with a warning.

        Args:
            entry_type: Dotted lower case.
            summary: What happened.
            ts: When it happened; by default now.
            expires_at: When it stops to matter.
            fields: An agent adds its own entries only; refs with ``episodic`` true select one for
                recall; others than normal priorities as `set_priority` allows them.

        Raises:
            RefusedError: If the text is mostly an attack, or the actor may not add it. Its
                details have the id of the review item.
            UsageError: If a field is not valid.
        """
        from crewmem.journal.adding import add_entry

        return add_entry(self, entry_type, summary, ts, expires_at, fields)

    def append(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> str:
        """Append an entry of crewmem's own, inside the open transaction if there is one.

        Its texts were screened where they came in; `add` is for others. By default it
        is about the actor, when that is an agent.

        Args:
            entry_type: Such as ``memory.updated``.
            summary: What happened, as a sentence.

        Returns:
            Its id.
        """
        return self.append_all([(entry_type, summary, fields)])[0]

    def append_all(self, entries: Iterable[tuple[str, str, EntryFields]]) -> list[str]:
        """Append many as `append` does, given type, summary and fields of each."""
        access = self.context.access
        is_agent = ACTOR_TYPES_BY_KIND[access.actor.kind] == "agent"
        made = []
        for entry_type, summary, fields in entries:
            if fields.get("agent") is None and is_agent:
                fields["agent"] = access.actor.name
                fields["crew"] = fields.get("crew") or access.home_crew
            made.append(self.make_entry(entry_type, summary[:MAX_SUMMARY], **fields))
        return self.append_entries(made)

    def make_entry(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> NewEntry:
        """Return an entry of the actor that can be appended.

        Raises:
            UsageError: If a field is not valid.
        """
        actor = self.context.access.actor
        actor_type = ACTOR_TYPES_BY_KIND[actor.kind]
        own = "operator" if actor_type == "user" else "agent"
        entry = NewEntry(
            entry_type=entry_type,
            summary=summary,
            payload=fields.get("payload") or {},
            refs=fields.get("refs") or {},
            severity=fields.get("severity", "info"),
            priority=fields.get("priority", "normal"),
            actor_type=actor_type,
            actor_id=actor.name,
            origin=lowest_origin((own, self.context.access.origin(fields.get("origin")))),
            crew_id=fields.get("crew") or None,
            agent_id=fields.get("agent") or None,
            trace_id=fields.get("trace_id"),
        )
        check_entry(entry)
        return entry

    def append_entries(self, entries: Sequence[NewEntry]) -> list[str]:
        """Append entries to the chain, and to the episodes those that are selected.

        Returns:
            Their ids.
        """
        if not entries:
            return []
        context = self.context
        with transaction(context.db):
            rows = self.chains.extend(entries)
            insert_rows(context, rows)
            selected = [
                (row, entry.payload)
                for row, entry in zip(rows, entries, strict=True)
                if episodes.is_selected(row.entry_type, row.severity, entry.payload, entry.refs)
            ]
            episodes.add_episodes(context.db, context.workspace, selected, context.now)
        return [row.id for row in rows]

    def select_episode(self, prefix: str) -> bool:
        """Select any one entry for recall; return whether it was not selected before."""
        entry = self.get(prefix)
        if entry.archived_at or entry.is_purged:
            raise ConflictError(
                f"{entry.id} was {'purged' if entry.is_purged else 'archived'}",
                code="not-selectable",
            )
        with transaction(self.context.db):
            row = self.context.db.one(
                f"select {COLUMNS} from journal_entries where seq = ?", (entry.seq,)
            )
            assert row is not None
            if self.context.db.value("select 1 from episodes where seq = ?", (entry.seq,)):
                return False
            new = [(Row._make(row), entry.payload)]
            episodes.add_episodes(self.context.db, self.context.workspace, new, self.context.now)
        return True

    def check_owner(self, agent: str | None, crew: str | None) -> tuple[str | None, str | None]:
        """Return whose entry it is; an agent writes as itself."""
        access = self.context.access
        if access.is_operator:
            return agent, crew
        if agent not in (None, access.actor.name):
            raise RefusedError(
                f"{access.actor} may not add an entry of {agent}: an agent writes as itself",
                code="out-of-scope",
            )
        if crew is not None and not access.is_member(crew):
            raise RefusedError(
                f"{access.actor} may not add an entry to crew '{crew}': it is not a member",
                code="out-of-scope",
            )
        return access.actor.name, crew or access.home_crew

    # Reading

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
            found += (
                entry_id
                for (entry_id,) in context.db.execute(
                    f"select id from {table} where {access.sql} and {HAS_PREFIX}"
                    " order by id limit 100",
                    {**access.params, "prefix": prefix},
                )
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

    def last_seq(self) -> int:
        """Return the place of the newest entry; 0 in an empty journal."""
        return self.chains.next_seq() - 1

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
            day = str(local_day(parse_time(quarter), self.context.zone))
            counts[day] = counts.get(day, 0) + number
        return counts

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

    # Purging

    def purge(self, prefix: str) -> Entry:
        """Blank the text of an entry everywhere in the home; for operators."""
        self.context.access.require_operator("purge an entry")
        entry_id = self.find_id(prefix)
        self.purge_entries([entry_id])
        return load_entry(self.context, entry_id)

    def purge_entries(self, entry_ids: Collection[str]) -> int:
        """Blank the text of entries, by whole id, and record that it happened.

        For purges of facts, which blank the entries that hold their text: the caller checked
        that the actor may. Inside an open transaction the caller scrubs the file after it.
        """
        from crewmem.journal.purge import blank_entry

        context = self.context
        with transaction(context.db):
            context.db.execute("pragma secure_delete = on")
            self.chains.require_key()
            blanked = [entry_id for entry_id in entry_ids if blank_entry(context, entry_id)]
            for entry_id in blanked:
                store_signed(
                    context, "purge", entry_id, str(context.access.actor), context.now_text
                )
            if blanked:
                noun = "an entry" if len(blanked) == 1 else f"{len(blanked)} entries"
                self.append("journal.purged", f"the text of {noun} was purged")
        if blanked and not context.db.in_transaction:
            scrub(context.db)
        return len(blanked)

    def find_entries_with(self, ref: str, value: str, texts: Collection[str] = ()) -> Sequence[str]:
        """Return the ids of the entries with a reference, and of those that repeat a text.

        Archived ones are included.

        >>> journal.find_entries_with("fact_id", "f_01jx7q4w9zkd")  # doctest: +SKIP
        ['j_5k2m8q1x0v3n']
        """
        quoted = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]
        rows = self.context.db.execute(
            "select id from journal_entries where workspace_id = :workspace"
            " and (iif(json_valid(refs), refs ->> :path, null) = :value"
            " or exists (select 1 from json_each(:texts) where instr(summary, json_each.value))"
            " or exists (select 1 from json_each(:quoted) where instr(payload, json_each.value)))",
            {
                "workspace": self.context.workspace,
                "path": f'$."{ref}"',
                "value": value,
                "texts": json.dumps(list(texts)),
                "quoted": json.dumps(quoted),
            },
        )
        found = [entry_id for (entry_id,) in rows]
        for row, _ in iterate_archive(self.context):
            if (
                load_object(row.refs).get(ref) == value
                or any(text in row.summary for text in texts)
                or any(text in row.payload for text in quoted)
            ):
                found.append(row.id)
        return found

    # Further parts, each imported when it is first used

    def set_priority(self, prefix: str, priority: str, *, reason: str) -> Entry:
        """Change the priority of an entry; for operators, and the lead of its crew."""
        from crewmem.journal.priorities import set_priority

        entry = self.get(prefix)
        set_priority(self.context, self.chains, entry, priority, reason)
        return load_entry(self.context, entry.id)

    def describe(self, prefix: str) -> "EntryDetail":
        """Return an entry with its relations and the changes of its priority."""
        from crewmem.journal.priorities import describe_entry

        return describe_entry(self.context, self.get(prefix))

    def add_relation(self, source: str, target: str, relation: str, *, weight: float = 1.0) -> bool:
        """Say that an entry supports or contradicts another; return whether that is new."""
        from crewmem.journal.priorities import add_relation

        return add_relation(
            self.context, self.find_id(source), self.find_id(target), relation, weight=weight
        )

    def quarantine(self, entry: NewEntry, error: RefusedError) -> None:
        """Let a refused entry wait in review; *error* then names the item."""
        from crewmem.journal.adding import quarantine_entry

        if self._open_review:
            quarantine_entry(self.context, entry, error, self._open_review())

    def import_lines(
        self,
        stream: BinaryIO,
        *,
        origin: str = "external",
        keep_pins: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> "ImportResult":
        """Add the entries in JSON lines; the arguments are those of `records.Importer`."""
        from crewmem.journal.import_export import Importer

        importer = Importer(self, origin=origin, keep_pins=keep_pins)
        return importer.run(stream, progress)

    def verify(self) -> "Sequence[ChainReport]":
        """Verify every chain of the workspace, its archive included."""
        from crewmem.journal.verify import verify_chains

        return verify_chains(self.context)

    def plan_compaction(
        self, older_than: timedelta, find_evidence: "FindEvidence" = lambda ids: ()
    ) -> "CompactionPlan":
        """Choose which old entries go to the archive; see `compaction.plan_compaction`."""
        from crewmem.journal.compaction import plan_compaction

        return plan_compaction(self, older_than, find_evidence)

    def compact(
        self, plan: "CompactionPlan", progress: Callable[[int, int], None] | None = None
    ) -> "CompactionPlan":
        """Archive what is planned; return the plan with what was done."""
        from crewmem.journal.compaction import compact

        return compact(self, plan, progress)


def insert_rows(context: Context, rows: Sequence[Row]) -> None:
    """Insert whole rows of journal_entries and their full text.

    Their seqs follow the newest entry. Episodes are the caller's.
    """
    db = context.db
    marks = ", ".join("?" * len(Row._fields))
    db.executemany(f"insert into journal_entries ({COLUMNS}) values ({marks})", rows)
    db.execute(
        "insert into journal_entries_fts (rowid, search_text)"
        " select seq, search_text from journal_entries where seq between ? and ?",
        (rows[0].seq, rows[-1].seq),
    )
