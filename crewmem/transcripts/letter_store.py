"""What a model is to be asked again, as it is kept in crewmem.db."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.transcripts.cursor_store import has_tables
from crewmem.transcripts.letter import OPEN, Letter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row

COLUMNS = """
    id, agent_id, harness, path, session, first_byte, last_byte, line, state,
    turns_sha256, attempts, error, first_at, next_at, status
"""
"""What a `Letter` is made of, in its order."""


def keep(db: apsw.Connection, workspace: str, letter: Letter) -> None:
    """Keep *letter*, in the place of an earlier try; call it inside a transaction."""
    marks = ", ".join("?" * (len(Letter._fields) + 1))
    sql = f"""
        insert into transcript_letters (workspace_id, {COLUMNS}) values ({marks})
            on conflict (workspace_id, agent_id, path, session, first_byte, last_byte)
            do update
           set attempts = excluded.attempts, error = excluded.error,
               next_at = excluded.next_at, status = excluded.status
    """
    values = (
        workspace,
        *letter[:8],
        json.dumps(dict(letter.state), sort_keys=True),
        *letter[9:12],
        times.to_text(letter.first_at),
        times.to_text(letter.next_at),
        letter.status,
    )
    with explained(db):
        db.execute(sql, values)


def drop(db: apsw.Connection, workspace: str, letter: Letter) -> None:
    """Drop *letter*, which was answered; call it inside a transaction."""
    sql = "delete from transcript_letters where workspace_id = ? and id = ?"
    with explained(db):
        db.execute(sql, (workspace, letter.id))


def due(db: apsw.Connection, workspace: str, now: datetime | None) -> list[Letter]:
    """Return what is open and due at *now*, oldest first; for None all that is open."""
    if not has_tables(db):
        return []
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("status", OPEN)
    where.at_most("next_at", times.to_text(now) if now else None)
    sql = f"select {COLUMNS} from transcript_letters {where} order by seq"
    return [_letter(row) for row in fetch(db, sql, where.values)]


def counts(
    db: apsw.Connection, workspace: str | None, agent: str | None = None
) -> dict[str, int]:
    """Return how many there are by status, of *workspace* and *agent* if said."""
    if not has_tables(db):
        return {}
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("agent_id", agent)
    sql = f"select status, count(*) from transcript_letters {where} group by status"
    return dict(fetch(db, sql, where.values))


def last_error(
    db: apsw.Connection, workspace: str | None, agent: str | None = None
) -> str:
    """Return why the newest of them could not be asked; "" if there is none."""
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("agent_id", agent)
    sql = f"select max(seq), error from transcript_letters {where}"
    return fetch_one(db, sql, where.values)[1] or ""


def _letter(row: Row) -> Letter:
    told = dict(zip(Letter._fields, row, strict=True))
    told["state"] = json.loads(told["state"])
    for name in ("first_at", "next_at"):
        told[name] = times.from_text(told[name])
    return Letter(**told)
