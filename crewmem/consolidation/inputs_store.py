"""What of the journal consolidation reads: entries behind a place, pins, recalls."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.consolidation.entries import TYPES, Told
from crewmem.db.connect import fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row

COLUMNS = "seq, id, agent_id, ts, entry_type, severity, priority, summary, payload"

PINNED = "('pin', 'permanent')"

RECALLS_MOST = 20_000
"""Recalls that are looked at, the newest: two weeks of one a minute."""


def entries(
    db: apsw.Connection, workspace: str, crew: str, agents: Sequence[str], *, after: int
) -> list[Told]:
    """Return what of *crew* and its *agents* may be an input behind the place *after*.

    That is entries of certain types, and pinned ones, in their order. They are sought
    by their places: few are new.
    """
    marks = ", ".join("?" * len(agents))
    types = ", ".join("?" * len(TYPES))
    sql = f"""
        select {COLUMNS} from journal_entries
         where seq > ?
           and +workspace_id = ?
           and (crew_id = ? or (crew_id is null and agent_id in ({marks})))
           and (entry_type in ({types}) or priority in {PINNED})
         order by seq
    """
    values = (after, workspace, crew, *agents, *sorted(TYPES))
    return [_told(row) for row in fetch(db, sql, values)]


def since(
    db: apsw.Connection, workspace: str, crew: str, agents: Sequence[str], at: datetime
) -> list[Told]:
    """Return what of *crew* and its *agents* may be an input from a time on."""
    marks = ", ".join("?" * len(agents))
    types = ", ".join("?" * len(TYPES))
    sql = f"""
        select {COLUMNS} from journal_entries
         where workspace_id = ?
           and ts >= ?
           and (crew_id = ? or (crew_id is null and agent_id in ({marks})))
           and (entry_type in ({types}) or priority in {PINNED})
         order by seq
    """
    values = (workspace, times.to_text(at), crew, *agents, *sorted(TYPES))
    return [_told(row) for row in fetch(db, sql, values)]


def pinned(
    db: apsw.Connection, workspace: str, crew: str, agents: Sequence[str]
) -> list[Told]:
    """Return entries of *crew* and its *agents* that were pinned some time after."""
    marks = ", ".join("?" * len(agents))
    sql = f"""
        select {COLUMNS} from journal_entries
         where workspace_id = ?
           and id in (select entry_id from journal_entry_priorities
                       where workspace_id = ? and to_priority in {PINNED})
           and priority in {PINNED}
           and (crew_id = ? or (crew_id is null and agent_id in ({marks})))
         order by seq
    """
    values = (workspace, workspace, crew, *agents)
    return [_told(row) for row in fetch(db, sql, values)]


def by_id(db: apsw.Connection, workspace: str, ids: Collection[str]) -> dict[str, Told]:
    """Return the entries with these *ids*, as far as they are there."""
    sql = f"""
        select {COLUMNS} from journal_entries
         where workspace_id = ? and id in (select value from json_each(?))
    """
    rows = fetch(db, sql, (workspace, json.dumps(sorted(ids))))
    return {row[1]: _told(row) for row in rows}


def learned(
    db: apsw.Connection, workspace: str, ids: Collection[str]
) -> dict[str, tuple[str, str | None, str | None]]:
    """Return of the entries with these *ids* the type, the crew and the agent."""
    sql = """
        select id, entry_type, crew_id, agent_id from journal_entries
         where workspace_id = ? and id in (select value from json_each(?))
    """
    rows = fetch(db, sql, (workspace, json.dumps(sorted(ids))))
    return {name: (kind, crew, agent) for name, kind, crew, agent in rows}


def told_of(
    db: apsw.Connection, workspace: str, ids: Collection[str]
) -> dict[str, set[str]]:
    """Return what the learned entries with these *ids* rest on, by them.

    That is the refs of what they were learned of, and of what was seen since.
    """
    sql = """
        select coalesce(json_extract(payload, '$.entry'), told.id) learned, place.value
          from journal_entries told, json_each(payload, '$.evidence') place
         where workspace_id = ?
           and entry_type in ('memory.consolidated', 'memory.seen_again')
           and learned in (select value from json_each(?))
    """
    found: dict[str, set[str]] = {}
    for name, place in fetch(db, sql, (workspace, json.dumps(sorted(ids)))):
        found.setdefault(name, set()).add(str(place).partition("@")[0])
    return found


def newest(db: apsw.Connection) -> int:
    """Return the place of the newest entry of all workspaces; 0 without any."""
    rows = fetch(db, "select coalesce(max(seq), 0) from journal_entries")
    return int(rows[0][0])


def recalls(
    db: apsw.Connection, workspace: str, at: datetime
) -> list[tuple[str, list[str]]]:
    """Return what was asked from a time on, and the refs of what was found."""
    sql = f"""
        select query, ids from recalls
         where workspace_id = ? and at >= ?
         order by at desc, id desc
         limit {RECALLS_MOST}
    """
    rows = fetch(db, sql, (workspace, times.to_text(at)))
    return [(query, [*map(str, json.loads(ids))]) for query, ids in rows]


def _told(row: Row) -> Told:
    return Told._make((*row[:2], row[2] or "", *row[3:]))
