"""Exporting entries as JSON lines that `importing` reads: the same entries, the same bytes."""

from collections.abc import Iterator
from typing import Any

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.journal.archive import load_rows
from crewmem.journal.chain import Row
from crewmem.journal.entry import NewEntry
from crewmem.journal.listing import EntryFilter, where
from crewmem.storage.json_columns import load_object

BATCH = 1000

LEFT_OUT_TYPES = frozenset({"memory.exported", "memory.imported", "fact.imported"})
"""Entries about exports and imports: they are of this home alone."""

LEFT_OUT_OPERATIONS = frozenset({"import", "trust"})
"""Writes of files that are."""


def export_entries(context: Context) -> Iterator[dict[str, Any]]:
    """Yield the entries that the actor may read, archived ones whole, oldest first.

    A purged entry is left out, and so is the chain, which is the home's own. Each has its present
    priority, and what people and rules said of it and other entries; similar pairs are derived.
    """
    visible = EntryFilter(visible_to=Scope.CREW)
    parts: list[str] = []
    params: dict[str, Any] = {}
    for table in ("journal_entries", "journal_entries_archived"):
        condition = where(context, visible, table)
        parts.append(f"select ts, id from {table} where {condition.sql}")
        params |= condition.params
    ids = [row[1] for row in context.db.all(f"{' union all '.join(parts)} order by 1, 2", params)]
    relations = _load_relations(context, set(ids))
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        rows = load_rows(context, batch)
        for entry_id in batch:
            row = rows[entry_id]
            if row.salt and not _is_own(row):
                yield _make_record(row, relations.get(entry_id, []))


def _load_relations(context: Context, ids: set[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the relations among some entries, by the entry that they lead from."""
    found: dict[str, list[dict[str, Any]]] = {}
    for source, target, relation, weight in context.db.execute(
        "select src_entry_id, dst_entry_id, relation, weight from entry_relations"
        " where workspace_id = ? order by 1, 2, 3",
        (context.workspace,),
    ):
        if source in ids and target in ids:
            item = {"relation": relation, "entry_id": target, "weight": weight}
            found.setdefault(source, []).append(item)
    return found


def _is_own(row: Row) -> bool:
    if row.entry_type in LEFT_OUT_TYPES:
        return True
    if row.entry_type in ("approval.granted", "approval.denied"):
        return load_object(row.payload).get("kind") == "import"
    if row.entry_type != "memory.updated":
        return False
    return load_object(row.payload).get("operation") in LEFT_OUT_OPERATIONS


def _make_record(row: Row, relations: list[dict[str, Any]]) -> dict[str, Any]:
    record = {
        **{name: getattr(row, name) for name in ("id", "ts", *NewEntry._fields)},
        "payload": load_object(row.payload),
        "refs": load_object(row.refs),
        "relations": relations,
    }
    return {name: value for name, value in record.items() if value not in (None, "", {}, [])}
