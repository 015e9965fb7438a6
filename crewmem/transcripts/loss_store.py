"""When context was lost, and what was given back, as it is kept in crewmem.db."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.transcripts.cursor_store import has_tables
from crewmem.transcripts.loss import SAME, Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row

COLUMNS = """
    id, agent_id, harness, session, key, how, at, before_tokens, after_tokens,
    detected_at, recovered_at, recovered_tokens, recovered
"""
"""What a `Lost` is made of, in its order."""


def near(
    db: apsw.Connection,
    workspace: str,
    agent: str,
    session: str,
    key: str,
    at: datetime,
) -> Lost | None:
    """Return the loss of that *key*, or of that *session* and about that time."""
    sql = f"""
        select {COLUMNS} from context_losses
         where workspace_id = ?1 and agent_id = ?2
           and (key = ?3 or (session = ?4 and at between ?5 and ?6))
         order by key = ?3 desc, at desc limit 1
    """
    ends = times.before(at, SAME), times.after(at, SAME)
    rows = fetch(db, sql, (workspace, agent, key, session, *map(times.to_text, ends)))
    return next((_lost(row) for row in rows), None)


def keep(db: apsw.Connection, workspace: str, lost: Lost) -> None:
    """Keep *lost*, which is new; call it inside a transaction."""
    marks = ", ".join("?" * (len(Lost._fields) + 1))
    sql = f"insert into context_losses (workspace_id, {COLUMNS}) values ({marks})"
    values = (
        workspace,
        *lost[:6],
        times.to_text(lost.at),
        lost.before,
        lost.after,
        times.to_text(lost.detected_at),
        times.to_text(lost.recovered_at) if lost.recovered_at else None,
        lost.tokens,
        json.dumps(lost.recovered),
    )
    with explained(db):
        db.execute(sql, values)


def complete(
    db: apsw.Connection,
    workspace: str,
    lost: Lost,
    before: int | None,
    after: int | None,
) -> None:
    """Add to *lost* the tokens that another mark of it tells."""
    sql = """
        update context_losses
           set before_tokens = coalesce(before_tokens, ?),
               after_tokens = coalesce(after_tokens, ?)
         where workspace_id = ? and id = ?
    """
    with explained(db):
        db.execute(sql, (before, after, workspace, lost.id))


def recovered(
    db: apsw.Connection,
    workspace: str,
    lost: Lost,
    *,
    at: datetime,
    tokens: int,
    ids: Sequence[str],
) -> None:
    """Keep that something was given back; call it inside a transaction."""
    sql = """
        update context_losses
           set recovered_at = ?, recovered_tokens = ?, recovered = ?
         where workspace_id = ? and id = ?
    """
    values = (times.to_text(at), tokens, json.dumps([*ids]), workspace, lost.id)
    with explained(db):
        db.execute(sql, values)


def count(db: apsw.Connection, workspace: str, agent: str, session: str) -> int:
    """Return how often *session* lost context."""
    sql = """
        select count(*) from context_losses
         where workspace_id = ? and agent_id = ? and session = ?
    """
    return int(fetch_one(db, sql, (workspace, agent, session))[0])


def listed(
    db: apsw.Connection,
    workspace: str,
    *,
    agent: str | None = None,
    session: str | None = None,
    limit: int,
) -> list[Lost]:
    """Return losses, newest first, of *agent* and *session* alone if said."""
    if not has_tables(db):
        return []
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("agent_id", agent)
    where.equal("session", session)
    sql = f"""
        select {COLUMNS} from context_losses {where} order by at desc, seq desc limit ?
    """
    return [_lost(row) for row in fetch(db, sql, (*where.values, limit))]


def _lost(row: Row) -> Lost:
    told = dict(zip(Lost._fields, row, strict=True))
    for name in ("at", "detected_at", "recovered_at"):
        told[name] = times.from_text(told[name]) if told[name] else None
    told["recovered"] = tuple(json.loads(told["recovered"]))
    return Lost(**told)
