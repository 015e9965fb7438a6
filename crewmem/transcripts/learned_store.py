"""Of which turns something was learned, as it is kept in crewmem.db."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.db.where import Where
from crewmem.transcripts.cursor_store import has_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw


def is_known(
    db: apsw.Connection, workspace: str, agent: str, turn: str, digest: str
) -> bool:
    """Tell whether that was learned of *turn* before, whatever became of it since."""
    sql = """
        select 1 from transcript_learned
         where (workspace_id, agent_id, turn, content_hash) = (?, ?, ?, ?)
    """
    values = (workspace, agent, turn, digest)
    return has_tables(db) and bool(fetch(db, sql, values))


def keep(
    db: apsw.Connection,
    workspace: str,
    agent: str,
    turn: str,
    digest: str,
    *,
    kind: str,
    memory: str,
    at: datetime,
) -> None:
    """Keep that *memory* was learned of *turn*; call it inside a transaction."""
    sql = "insert or ignore into transcript_learned values (?, ?, ?, ?, ?, ?, ?)"
    with explained(db):
        values = (workspace, agent, turn, digest, kind, memory, times.to_text(at))
        db.execute(sql, values)


def kinds(
    db: apsw.Connection, workspace: str, agent: str | None = None
) -> dict[str, int]:
    """Return how much was learned, by kind, of *agent* alone if said."""
    if not has_tables(db):
        return {}
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("agent_id", agent)
    sql = f"""
        select kind, count(distinct memory) from transcript_learned {where}
         group by kind order by 2 desc, 1
    """
    return dict(fetch(db, sql, where.values))


def of_turn(db: apsw.Connection, workspace: str, agent: str, turn: str) -> list[str]:
    """Return the ids of the memories that were learned of *turn*."""
    sql = """
        select memory from transcript_learned
         where (workspace_id, agent_id, turn) = (?, ?, ?) order by content_hash
    """
    return [each for (each,) in fetch(db, sql, (workspace, agent, turn))]
