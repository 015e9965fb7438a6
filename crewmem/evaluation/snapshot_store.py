"""What was tuned, as it is kept. The only SQL on its table."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.evaluation.run_store import is_there
from crewmem.evaluation.snapshot import APPLIED, BEGUN, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any

    import apsw

COLUMNS = (
    *("id", "at", "workspace_id", "actor", "key", "old", "new", "before", "after"),
    *("reason", "baseline", "candidate", "state", "ended_at"),
)
"""In the order of the fields of a `Snapshot`."""


def keep(db: apsw.Connection, snapshot: Snapshot) -> None:
    """Keep *snapshot*.

    Call it inside a transaction.
    """
    told: dict[str, Any] = dict(zip(COLUMNS, snapshot, strict=True))
    told["at"] = times.to_text(snapshot.at)
    if snapshot.ended_at is not None:
        told["ended_at"] = times.to_text(snapshot.ended_at)
    marks = ", ".join("?" * len(COLUMNS))
    with explained(db):
        db.execute(
            f"insert into config_snapshots ({', '.join(COLUMNS)}) values ({marks})",
            tuple(told.values()),
        )


def settle(
    db: apsw.Connection, snapshot_id: str, state: str, ended_at: datetime | None = None
) -> None:
    """Say of *snapshot_id* in which *state* it is now.

    Call it inside a transaction.
    """
    at = times.to_text(ended_at) if ended_at else None
    sql = "update config_snapshots set state = ?, ended_at = ? where id = ?"
    with explained(db):
        db.execute(sql, (state, at, snapshot_id))


def newest(db: apsw.Connection, limit: int, *states: str) -> list[Snapshot]:
    """Return the newest snapshots, newest first; those of some *states* if any."""
    if not is_there(db):
        return []
    marks = ", ".join("?" * len(states))
    where = f"where state in ({marks})" if states else ""
    sql = f"""
        select {", ".join(COLUMNS)} from config_snapshots {where}
         order by seq desc limit ?
    """
    return [_snapshot(row) for row in fetch(db, sql, (*states, limit))]


def in_force(db: apsw.Connection) -> Snapshot | None:
    """Return the snapshot that was applied last and is still in force."""
    return next(iter(newest(db, 1, APPLIED)), None)


def begun(db: apsw.Connection) -> list[Snapshot]:
    """Return those of which nobody knows how they ended: who applied it was killed."""
    return newest(db, 100, BEGUN)


def _snapshot(row: Sequence[Any]) -> Snapshot:
    told = dict(zip(Snapshot._fields, row, strict=True))
    for name in ("at", "ended_at"):
        told[name] = times.from_text(told[name]) if told[name] else None
    return Snapshot(**told)
