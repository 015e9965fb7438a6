"""Every change of a priority, as it is kept."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch
from crewmem.journal.priorities import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

COLUMNS = """
    workspace_id, entry_id, change, from_priority, to_priority, reason, set_by,
    set_at, mac
"""


def changes(
    db: apsw.Connection, workspace: str, ids: Collection[str] | None = None
) -> dict[str, list[Change]]:
    """Return the changes of entries by their id, in order; of all, or of some *ids*."""
    from crewmem.journal.chain import encoded

    sql = f"select {COLUMNS} from journal_entry_priorities where workspace_id = ?"
    values = [workspace]
    if ids is not None:
        sql += " and entry_id in (select value from json_each(?))"
        values.append(encoded([*ids]))
    found: dict[str, list[Change]] = {}
    for row in fetch(db, f"{sql} order by entry_id, change", values):
        found.setdefault(row[1], []).append(Change._make(row))
    return found


def add(db: apsw.Connection, change: Change) -> None:
    """Keep *change*, and let the entry have its new priority."""
    sql = f"""
        insert into journal_entry_priorities ({COLUMNS})
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    with explained(db):
        db.execute(sql, change)
        db.execute(
            "update journal_entries set priority = ? where workspace_id = ? and id = ?",
            (change.to_priority, change.workspace_id, change.entry_id),
        )
