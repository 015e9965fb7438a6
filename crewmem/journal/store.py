"""The journal of a workspace: appending, reading, listing. Other modules hold the rest."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from crewmem.access import Scope, lowest_origin
from crewmem.context import Context
from crewmem.errors import ConflictError, RefusedError
from crewmem.ids import resolve_prefix
from crewmem.journal import episodes, listing, priorities
from crewmem.journal.archive import iterate_archive
from crewmem.journal.chain import (
    COLUMNS,
    SALT_BYTES,
    Chains,
    Head,
    Row,
    make_row,
)
from crewmem.journal.entry import (
    MAX_SUMMARY,
    Entry,
    NewEntry,
    check_entry,
)
from crewmem.journal.listing import EntryFilter, EntryPage
from crewmem.journal.purge import EraseVectors, blank_entries
from crewmem.journal.source import EpisodeSource
from crewmem.protocols import EntryFields
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import scrub, transaction

if TYPE_CHECKING:  # each is imported when it is first used
    from crewmem.journal.compaction import CompactionPlan, FindEvidence
    from crewmem.journal.detail import EntryDetail
    from crewmem.journal.importing import ImportResult
    from crewmem.journal.verify import ChainReport

ACTOR_TYPES_BY_KIND = {"agent": "agent", "lead": "agent", "operator": "user", "system": "system"}

EVERYTHING = EntryFilter()


class Journal(EpisodeSource):
    """The journal, as an actor sees it. What search asks of its episodes is inherited.

    Attributes:
        chains: Its hash chains.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.chains = Chains(context)

    # Writing

    def append(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> str:
        """Append an entry of crewmem's own, inside the open transaction if there is one.

        Its texts were screened where they came in; `adding.add_entry` is for others. By default it
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

    def make_entry(
        self,
        entry_type: str,
        summary: str,
        *,
        payload: Mapping[str, Any] | None = None,
        refs: Mapping[str, Any] | None = None,
        severity: str = "info",
        priority: str = "normal",
        crew: str | None = None,
        agent: str | None = None,
        origin: str | None = None,
        trace_id: str | None = None,
    ) -> NewEntry:
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
            payload=payload or {},
            refs=refs or {},
            severity=severity,
            priority=priority,
            actor_type=actor_type,
            actor_id=actor.name,
            origin=lowest_origin((own, self.context.access.origin(origin))),
            crew_id=crew or None,
            agent_id=agent or None,
            trace_id=trace_id,
        )
        check_entry(entry)
        return entry

    def append_entries(self, entries: Sequence[NewEntry]) -> list[str]:
        """Append entries to the chain, and to the episodes those that are selected.

        Returns:
            Their ids.
        """
        context, chains = self.context, self.chains
        with transaction(context.db):
            chain = chains.own_name()
            head = chains.head(chain)
            last_hash = head.last_hash
            rows: list[Row] = []
            selected: list[tuple[Row, Mapping[str, Any]]] = []
            for seq, entry in enumerate(entries, chains.next_seq()):
                row = make_row(
                    context,
                    entry,
                    seq=seq,
                    chain=chain,
                    prev_hash=last_hash,
                    salt=context.random(SALT_BYTES).hex(),
                    key=chains.key,
                )
                last_hash = row.entry_hash
                rows.append(row)
                if episodes.is_selected(row.entry_type, row.severity, entry.payload, entry.refs):
                    selected.append((row, entry.payload))
            insert_rows(context, rows)
            chains.set_head(chain, Head(head.entries + len(rows), last_hash))
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

    def find_id(self, prefix: str, *, scope: Scope | None = None) -> str:
        """Return the id of the one entry that the actor may read and that begins so.

        Raises:
            NotFoundError: If there is none.
            UsageError: If the prefix is too short or ambiguous.
        """
        context = self.context
        if scope is None and not context.access.is_operator:
            scope = Scope.CREW
        found: list[str] = []
        for table in ("journal_entries", "journal_entries_archived"):
            access = context.access.journal(table=table, scope=scope)
            found += (
                entry_id
                for (entry_id,) in context.db.execute(
                    f"select id from {table} where {access.sql}"
                    " and id >= :low and id < :high order by id limit 100",
                    {**access.params, "low": prefix, "high": prefix + "\U0010ffff"},
                )
            )
        return resolve_prefix(prefix, found, "entry", context.command("journal list"))

    def get(self, prefix: str) -> Entry:
        """Return an entry, archived or not, whole."""
        return listing.load_entry(self.context, self.find_id(prefix))

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
        return listing.list_entries(
            self.context, wanted, limit=limit, after=after, include_archive=include_archive
        )

    def list_after(self, seq: int, wanted: EntryFilter = EVERYTHING) -> Sequence[Entry]:
        """Return entries that came after the place *seq*, oldest first, up to 1,000."""
        return listing.list_after(self.context, wanted, seq)

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

    def count_by(self, by: str, wanted: EntryFilter = EVERYTHING) -> dict[str, int]:
        """Count entries by ``type``, ``day`` or ``agent``."""
        return listing.count_entries(self.context, wanted, by)

    def export_entries(self) -> Iterator[dict[str, Any]]:
        """Yield the entries that the actor may read as records, oldest first."""
        from crewmem.journal.exporting import export_entries

        return export_entries(self.context)

    # What people say about entries

    def set_priority(self, prefix: str, priority: str, *, reason: str) -> Entry:
        """Change the priority of an entry; for operators, and the lead of its crew."""
        entry = self.get(prefix)
        priorities.set_priority(self.context, self.chains, entry, priority, reason)
        return listing.load_entry(self.context, entry.id)

    def list_priority_changes(self, entry_id: str) -> Sequence[priorities.PriorityChange]:
        """Return the changes of an entry's priority, oldest first."""
        return priorities.list_priority_changes(self.context, entry_id)

    def add_relation(self, source: str, target: str, relation: str, *, weight: float = 1.0) -> bool:
        """Say that an entry supports or contradicts another; return whether that is new."""
        return priorities.add_relation(
            self.context, self.find_id(source), self.find_id(target), relation, weight=weight
        )

    def list_relations(self, entry_id: str) -> Sequence[priorities.Relation]:
        """Return the relations from and to an entry."""
        return priorities.list_relations(self.context, entry_id)

    # Purging

    def purge(self, prefix: str, *, erase_vectors: EraseVectors | None = None) -> Entry:
        """Blank the text of an entry everywhere in the home; for operators.

        Args:
            prefix: Its id.
            erase_vectors: Erases the vectors with some keys.
        """
        self.context.access.require_operator("purge an entry")
        entry_id = self.find_id(prefix)
        self.purge_entries([entry_id], erase_vectors=erase_vectors)
        return listing.load_entry(self.context, entry_id)

    def purge_entries(
        self, entry_ids: Collection[str], *, erase_vectors: EraseVectors | None = None
    ) -> int:
        """Blank the text of entries, by whole id, and record that it happened.

        For purges of facts, which blank the entries that hold their text: the caller checked
        that the actor may. Inside an open transaction the caller scrubs the file after it.
        """
        with transaction(self.context.db):
            count = blank_entries(self.context, self.chains, entry_ids, erase_vectors)
            if count:
                noun = "entry" if count == 1 else f"{count} entries"
                self.append("journal.purged", f"the text of {noun} was purged")
        if count and not self.context.db.in_transaction:
            scrub(self.context.db)
        return count

    def find_entries_with(self, refs: Mapping[str, str]) -> Sequence[str]:
        """Return the ids of the entries whose refs have these values, archived ones included.

        >>> journal.find_entries_with({"fact_id": "f_01jx7q4w9zkd"})  # doctest: +SKIP
        ['j_5k2m8q1x0v3n']
        """
        conditions = []
        params: dict[str, Any] = {"workspace": self.context.workspace}
        for index, (name, value) in enumerate(refs.items()):
            conditions.append(
                f"iif(json_valid(refs), refs ->> :path_{index}, null) = :value_{index}"
            )
            params |= {f"path_{index}": f'$."{name}"', f"value_{index}": value}
        rows = self.context.db.execute(
            "select id from journal_entries where workspace_id = :workspace and "
            + " and ".join(conditions),
            params,
        )
        found = [entry_id for (entry_id,) in rows]
        for row in iterate_archive(self.context):
            stored = load_object(row.refs)
            if all(stored.get(name) == value for name, value in refs.items()):
                found.append(row.id)
        return found

    # Further parts, each imported when it is first used: some compile the scanner's rules

    def add(self, entry_type: str, summary: str, **fields: Any) -> Entry:
        """Append an entry that somebody reports; see `adding.add_entry`."""
        from crewmem.journal.adding import add_entry

        return add_entry(self, entry_type, summary, **fields)

    def release(self, quarantined: Mapping[str, Any]) -> Entry:
        """Append an entry that was refused and waited in review; for operators."""
        from crewmem.journal.adding import release_entry

        return release_entry(self, quarantined)

    def import_lines(self, stream: BinaryIO, **options: Any) -> "ImportResult":
        """Add the entries in JSON lines; see `importing.import_lines`."""
        from crewmem.journal.importing import import_lines

        return import_lines(self, stream, **options)

    def describe(self, prefix: str) -> "EntryDetail":
        """Return an entry with its relations and the changes of its priority."""
        from crewmem.journal.detail import describe_entry

        return describe_entry(self, prefix)

    def verify(self) -> "Sequence[ChainReport]":
        """Verify every chain of the workspace, its archive included."""
        from crewmem.journal.verify import verify_chains

        return verify_chains(self.context)

    def plan_compaction(
        self, older_than: timedelta, find_evidence: "FindEvidence | None" = None
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

    # Importance

    def apply_decay(self) -> int:
        """Recompute the importance of every episode; return how many changed."""
        with transaction(self.context.db, local=True):
            return episodes.apply_decay(self.context.db, self.context.now)

    def plan_decay(self, *, limit: int = 20) -> Sequence[episodes.DecayRow]:
        """Return the episodes that lost most of their importance, now and in 30 days."""
        return episodes.plan_decay(self.context, limit)

    def add_references(self, keys: Collection[int]) -> None:
        """Count that the episodes at *keys* were delivered into a prompt."""
        if keys:
            with transaction(self.context.db, local=True):
                episodes.add_references(self.context.db, keys, self.context.now_text)

    def add_similarities(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Add ``similar`` relations: (key of the new episode, of the earlier one, cosine)."""
        with transaction(self.context.db, local=True):
            episodes.add_similarities(self.context.db, pairs, self.context.now_text)

    def delete_orphans(self) -> int:
        """Delete similarities of episodes that are gone; return how many."""
        db = self.context.db
        orphans = (
            "from entry_similarities where src_seq not in (select seq from episodes)"
            " or dst_seq not in (select seq from episodes)"
        )
        count = int(db.value(f"select count(*) {orphans}"))
        if count:
            with transaction(db, local=True):
                db.execute(f"delete {orphans}")
        return count


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
