"""Exporting entries as JSON lines that `importing` reads: the same entries, the same bytes."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.journal.archive import load_rows
from crewmem.journal.chain import Row
from crewmem.journal.entry import NewEntry
from crewmem.journal.listing import EntryFilter, where
from crewmem.journal.verify import load_signed_facts
from crewmem.storage.json_columns import load_object

BATCH = 1000

LEFT_OUT_TYPES = frozenset({"memory.exported", "memory.imported", "fact.imported"})
"""Entries about exports and imports: they are of this home alone."""

LEFT_OUT_OPERATIONS = frozenset({"import", "trust"})
"""Writes of files that are."""


def export_entries(context: Context) -> Iterator[dict[str, Any]]:
    """Yield the entries that the actor may read, archived ones whole, oldest first.

    A purged entry is left out, and so is the chain, which is the home's own. The priority is
    that at writing; `export_priorities` has the later ones.
    """
    visible = EntryFilter(visible_to=None if context.access.is_operator else Scope.CREW)
    parts: list[str] = []
    params: dict[str, Any] = {}
    for table in ("journal_entries", "journal_entries_archived"):
        condition = where(context, visible, table)
        parts.append(f"select ts, id from {table} where {condition.sql}")
        params |= condition.params
    ids = [row[1] for row in context.db.all(f"{' union all '.join(parts)} order by 1, 2", params)]
    for batch in _batches(ids):
        rows = load_rows(context, batch)
        written = load_signed_facts(context, batch).written
        for entry_id in batch:
            row = rows[entry_id]
            if row.salt and not _is_own(row):
                yield _make_record(row, written.get(entry_id, row.priority))


def export_priorities(context: Context, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the present priority of those of *ids* of which it was changed, and why."""
    for batch in _batches(ids):
        reasons = dict(
            context.db.all(
                "select entry_id, reason from journal_entry_priorities where workspace_id = ?"
                " and entry_id in (select value from json_each(?)) order by entry_id, number",
                (context.workspace, json.dumps(batch)),
            )
        )
        rows = load_rows(context, sorted(reasons))
        for entry_id, reason in sorted(reasons.items()):
            priority = rows[entry_id].priority
            yield {"id": entry_id, "priority": priority, "reason": reason}


def export_relations(context: Context, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what people and rules said of pairs among *ids*; similar pairs are derived."""
    wanted = set(ids)
    for source, target, relation, weight in context.db.all(
        "select src_entry_id, dst_entry_id, relation, weight from entry_relations"
        " where workspace_id = ? order by 1, 2, 3",
        (context.workspace,),
    ):
        if source in wanted and target in wanted:
            yield {"src": source, "dst": target, "relation": relation, "weight": weight}


def _batches(ids: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), BATCH):
        yield list(ids[start : start + BATCH])


def _is_own(row: Row) -> bool:
    if row.entry_type in LEFT_OUT_TYPES:
        return True
    if row.entry_type in ("approval.granted", "approval.denied"):
        return load_object(row.payload).get("kind") == "import"
    if row.entry_type != "memory.updated":
        return False
    return load_object(row.payload).get("operation") in LEFT_OUT_OPERATIONS


def _make_record(row: Row, priority: str) -> dict[str, Any]:
    record = {
        **{name: getattr(row, name) for name in ("id", "ts", *NewEntry._fields)},
        "priority": priority,
        "payload": load_object(row.payload),
        "refs": load_object(row.refs),
    }
    return {name: value for name, value in record.items() if value not in (None, "", {})}
