"""How far logs are read, as it is kept in crewmem.db."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.transcripts.cursor import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.db.connect import Row

FIRST_SCHEMA = 13
"""The step that makes the tables: an older database has read nothing."""

COLUMNS = """
    path, session, agent_id, harness, device, inode, head_bytes, head_sha256,
    tail_sha256, at_byte, line, state, size, mtime_ns, turns, skipped, skipped_lines,
    drops, turn_at, learned_at, read_at
"""
"""What a `Cursor` is made of, in its order."""


def has_tables(db: apsw.Connection) -> bool:
    """Tell whether *db* is new enough to know of logs."""
    (version,) = fetch_one(db, "pragma user_version")
    return int(version) >= FIRST_SCHEMA


def find(
    db: apsw.Connection, workspace: str, path: str, session: str = ""
) -> Cursor | None:
    """Return how far the log at *path* was read; None if it never was."""
    sql = f"""
        select {COLUMNS} from transcript_cursors
         where (workspace_id, path, session) = (?, ?, ?)
    """
    rows = fetch(db, sql, (workspace, path, session)) if has_tables(db) else []
    return next((_cursor(row) for row in rows), None)


def every(
    db: apsw.Connection, workspace: str, agent: str | None = None
) -> list[Cursor]:
    """Return how far each log was read, of *agent* alone if said, by path."""
    if not has_tables(db):
        return []
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("agent_id", agent)
    sql = f"select {COLUMNS} from transcript_cursors {where} order by path, session"
    return [_cursor(row) for row in fetch(db, sql, where.values)]


def of_session(
    db: apsw.Connection, workspace: str, agent: str, session: str
) -> list[Cursor]:
    """Return how far the logs of *agent* were read that are of *session*, newest first.

    A log that is named after the session counts, whatever it said itself.
    """
    if not has_tables(db):
        return []
    sql = f"""
        select {COLUMNS} from transcript_cursors
         where workspace_id = ?1 and agent_id = ?2
           and (session = ?3 or json_extract(state, '$.last_session') = ?3
                or path like '%' || replace(replace(?3, '%', ''), '_', '') || '%')
         order by coalesce(turn_at, '') desc, path
    """
    return [_cursor(row) for row in fetch(db, sql, (workspace, agent, session))]


def skipped(db: apsw.Connection, workspace: str | None) -> list[tuple[str, int]]:
    """Return the logs with lines that could not be read, and how many; None: of all."""
    if not has_tables(db):
        return []
    where = Where()
    where.equal("workspace_id", workspace)
    where.holds("skipped > 0")
    sql = f"select path, skipped from transcript_cursors {where} order by path"
    return [(path, count) for path, count in fetch(db, sql, where.values)]


def newest_read(db: apsw.Connection, workspace: str) -> dict[str, str]:
    """Return when a log of each agent was last read, by agent."""
    if not has_tables(db):
        return {}
    sql = """
        select agent_id, max(read_at) from transcript_cursors
         where workspace_id = ? group by agent_id
    """
    return dict(fetch(db, sql, (workspace,)))


def keep(db: apsw.Connection, workspace: str, cursor: Cursor) -> None:
    """Keep how far a log was read, in the transaction of what was learned of it."""
    marks = ", ".join("?" * (len(Cursor._fields) + 1))
    sql = f"""
        insert or replace into transcript_cursors (workspace_id, {COLUMNS})
        values ({marks})
    """
    values = (
        workspace,
        *cursor[:11],
        json.dumps(dict(cursor.state), sort_keys=True),
        cursor.size,
        cursor.mtime_ns,
        cursor.turns,
        cursor.skipped,
        json.dumps(list(cursor.skipped_lines)),
        cursor.drops,
        *(times.to_text(at) if at else None for at in cursor[18:]),
    )
    with explained(db):
        db.execute(sql, values)


def unread_since(db: apsw.Connection, before: str) -> list[str]:
    """Return the logs, of all workspaces, that were last read *before*."""
    if not has_tables(db):
        return []
    sql = "select distinct path from transcript_cursors where read_at < ? order by 1"
    return [path for (path,) in fetch(db, sql, (before,))]


def drop(db: apsw.Connection, paths: list[str]) -> None:
    """Forget logs that are gone; what was learned of them stays."""
    with explained(db):
        db.executemany(
            "delete from transcript_cursors where path = ?", [(each,) for each in paths]
        )


def _cursor(row: Row) -> Cursor:
    told = dict(zip(Cursor._fields, row, strict=True))
    told["state"] = json.loads(told["state"])
    told["skipped_lines"] = tuple(json.loads(told["skipped_lines"]))
    for name in ("turn_at", "learned_at", "read_at"):
        told[name] = times.from_text(told[name]) if told[name] else None
    return Cursor(**told)
