"""Compaction: old entries move to the archive; one entry for each crew, day and type replaces them.

A batch is one transaction, so the next run finishes an interrupted one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice

from crewmem.context import Context
from crewmem.errors import DamagedError
from crewmem.journal.archive import add_to_archive
from crewmem.journal.entry import COLUMNS, Row
from crewmem.journal.episodes import is_selected
from crewmem.journal.store import Journal
from crewmem.journal.verify import find_change, load_signed_facts
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import transaction
from crewmem.text.wording import count
from crewmem.times import add_span, format_time, stored_day

COMPACTION = "system.compaction"
"""Type of the entry that replaces archived ones."""

KEPT_TYPES = frozenset(
    {COMPACTION, "summary.generated", "memory.consolidated", "eval.regression_detected"}
)
KEPT_GROUPS = ("approval.", "checkpoint.", "fork.")
"""Types that are never compacted."""

BATCH = 2_000
"""Entries in one transaction, which blocks other writers for a few tenths of a second."""

FindEvidence = Callable[[Collection[str]], Collection[str]]
"""Returns the given entry ids that are evidence of a live fact or rule."""


@dataclass(frozen=True, slots=True)
class CompactionGroup:
    """Old entries of one crew, day and type.

    Attributes:
        crew: "" for entries without a crew.
        day: In the time zone of the setting ``timezone``.
    """

    crew: str
    day: str
    entry_type: str
    entries: int
    _seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """The plan of a compaction, or its result.

    Attributes:
        before: Entries older than this are compacted.
        entries: Number of entries to archive.
        kept: Number of entries older than *before* that stay.
        archived: Number of entries that were archived; 0 in a plan.
    """

    before: datetime
    groups: list[CompactionGroup]
    entries: int
    kept: int
    archived: int = 0


@dataclass(frozen=True, slots=True)
class Compaction:
    """Archives old entries of a journal."""

    journal: Journal

    def plan(
        self, older_than: timedelta, find_evidence: FindEvidence = lambda ids: ()
    ) -> CompactionPlan:
        """Choose the entries to archive: whole groups of the home's own chain.

        Args:
            older_than: Minimum age of an entry.
            find_evidence: Returns the given ids that are evidence of a live fact.
        """
        context = self.journal.context
        before = add_span(context.now, -older_than)
        groups: dict[tuple[str, str, str], list[int]] = {}
        days: dict[str, str] = {}  # by minute, which is within one day in every time zone
        rows = context.db.execute(
            "select seq, id, crew_id, ts, entry_type, severity, payload, refs from journal_entries"
            " where workspace_id = :workspace and ts < :before and severity in ('info', 'notice')"
            " and priority in ('normal', 'high') and chain = :chain"
            " and seq not in (select seq from episodes) order by ts, seq",
            {
                "workspace": context.workspace,
                "before": format_time(before),
                "chain": self.journal.chains.find_name(),
            },
        )
        while batch := list(islice(rows, BATCH)):
            ids = [entry_id for _, entry_id, *_ in batch]
            supporting = context.db.column(
                "select dst_entry_id from entry_relations where workspace_id = ?"
                " and relation = 'supports' and dst_entry_id in (select value from json_each(?))",
                (context.workspace, ids),
            )
            evidence = {*supporting, *find_evidence(ids)}
            for seq, entry_id, crew, ts, entry_type, severity, payload, refs in batch:
                if (
                    entry_id in evidence
                    or entry_type in KEPT_TYPES
                    or entry_type.startswith(KEPT_GROUPS)
                    or is_selected(entry_type, severity, load_object(payload), load_object(refs))
                ):
                    continue
                minute = ts[:16]
                if minute not in days:
                    days[minute] = str(stored_day(ts, context.zone))
                groups.setdefault((days[minute], crew or "", entry_type), []).append(seq)
        chosen = [
            CompactionGroup(crew, day, entry_type, len(seqs), tuple(seqs))
            for (day, crew, entry_type), seqs in sorted(groups.items())
        ]
        old = context.db.value(
            "select count(*) from journal_entries where workspace_id = ? and ts < ?",
            (context.workspace, format_time(before)),
        )
        entries = sum(group.entries for group in chosen)
        return CompactionPlan(before, chosen, entries, kept=old - entries)

    def apply(
        self, plan: CompactionPlan, progress: Callable[[int, int], None] | None = None
    ) -> CompactionPlan:
        """Archive the planned entries in batches; return the plan with the result.

        Raises:
            DamagedError: If an entry does not match its hash. Earlier batches stay archived.
        """
        archived = 0
        for batch in batch_groups(plan.groups):
            moved: list[Row] = []
            with transaction(self.journal.context.db):
                for group in batch:
                    if rows := archive_group(self.journal.context, group):
                        moved += rows
                        _add_summary(self.journal, group, rows)
                if moved:
                    moved.sort(key=lambda row: row.seq)
                    self.journal.chains.add_checkpoint(moved[0].chain, moved)
            archived += len(moved)
            if progress:
                progress(archived, plan.entries)
        return replace(plan, archived=archived)


def batch_groups(groups: Sequence[CompactionGroup]) -> Iterator[list[CompactionGroup]]:
    """Yield groups in batches of about BATCH entries; a group is never split."""
    batch: list[CompactionGroup] = []
    entries = 0
    for group in groups:
        batch.append(group)
        entries += group.entries
        if entries >= BATCH:
            yield batch
            batch, entries = [], 0
    if batch:
        yield batch


def archive_group(context: Context, group: CompactionGroup) -> list[Row]:
    """Move the entries of a group to the archive; return them in the chain's order.

    Entries that became episodes or were pinned since the plan was made stay.

    Raises:
        DamagedError: If an entry does not match its hash. Then no entry of the batch is moved.
    """
    rows = [
        Row._make(row)
        for row in context.db.all(
            f"select {COLUMNS} from journal_entries"
            " where seq in (select value from json_each(?)) and priority in ('normal', 'high')"
            " and seq not in (select seq from episodes) order by seq",
            (group._seqs,),
        )
    ]
    facts = load_signed_facts(context, (row.id for row in rows))
    for row in rows:
        change = find_change(context, row, facts)
        if change:
            raise DamagedError(
                f"entry {row.id} (row {row.seq}) was changed: {change}",
                code="journal-changed",
                hint=context.command("journal verify"),
            )
    if rows:
        add_to_archive(context.db, rows, context.now_text)
        context.db.execute(
            "delete from journal_entries where seq in (select value from json_each(?))",
            ([row.seq for row in rows],),
        )
    return rows


def _add_summary(journal: Journal, group: CompactionGroup, rows: Sequence[Row]) -> None:
    """Append the entry that replaces *rows*."""
    number = count(len(rows), "entry", "entries")
    summary = f"{number} of {group.entry_type} on {group.day}, archived"
    payload = {
        "day": group.day,
        "count": len(rows),
        "kinds": {group.entry_type: len(rows)},
        "severities": dict(sorted(Counter(row.severity for row in rows).items())),
        "agents": dict(sorted(Counter(row.agent_id or "" for row in rows).items())),
        "first_ts": min(row.ts for row in rows),
        "last_ts": max(row.ts for row in rows),
        "ids_sha": sha256("\n".join(sorted(row.id for row in rows)).encode()).hexdigest(),
    }
    journal.append(COMPACTION, summary, payload=payload, crew=group.crew or None)
