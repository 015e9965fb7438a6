"""Candidates and their occurrences, as they are kept in crewmem.db."""

from __future__ import annotations

from crewmem.consolidation.candidate import Candidate, Occurrence
from crewmem.consolidation.item import Evidence
from crewmem.consolidation.marks_store import has_tables
from crewmem.db.connect import explained, fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

COLUMNS = """
    id, agent_id, kind, text, first_day, last_day, occurrences, status, changed_at
"""


def candidates(
    db: apsw.Connection, workspace: str, crew: str, *status: str
) -> list[Candidate]:
    """Return the candidates of *crew* that are of one of *status*; of all without."""
    if not has_tables(db):
        return []
    sql = f"""
        select {COLUMNS} from consolidation_candidates
         where workspace_id = ? and crew_id = ?
    """
    if status:
        sql += f" and status in ({', '.join('?' * len(status))})"
    rows = fetch(db, f"{sql} order by id", (workspace, crew, *status))
    return [Candidate._make(row) for row in rows]


def occurrences(db: apsw.Connection, workspace: str, crew: str) -> list[Occurrence]:
    """Return all places that say what an open candidate of *crew* does."""
    sql = """
        select candidate, ref, source, kind, sha256, day, agent_id, quote
          from consolidation_occurrences
         where workspace_id = ? and crew_id = ?
         order by day, ref
    """
    rows = fetch(db, sql, (workspace, crew)) if has_tables(db) else []
    return [Occurrence(row[0], Evidence._make(row[1:])) for row in rows]


def keep(
    db: apsw.Connection, workspace: str, crew: str, new: Iterable[Candidate]
) -> None:
    """Keep *new* candidates, or what changed of them; call it inside a transaction."""
    sql = """
        insert or replace into consolidation_candidates
               (workspace_id, crew_id, id, agent_id, kind, text, first_day, last_day,
                occurrences, status, changed_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    with explained(db):
        db.executemany(sql, ((workspace, crew, *each) for each in new))


def let_go(db: apsw.Connection, workspace: str, crew: str, ids: Iterable[str]) -> None:
    """Forget candidates that are open no more; call it inside a transaction."""
    sql = """
        delete from consolidation_candidates
         where workspace_id = ? and crew_id = ? and id = ?
    """
    with explained(db):
        db.executemany(sql, ((workspace, crew, each) for each in ids))


def keep_occurrences(
    db: apsw.Connection, workspace: str, crew: str, new: Iterable[Occurrence]
) -> None:
    """Keep *new* occurrences; call it inside a transaction."""
    sql = """
        insert or replace into consolidation_occurrences
               (workspace_id, crew_id, candidate, ref, source, kind, sha256, day,
                agent_id, quote)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    with explained(db):
        db.executemany(
            sql, ((workspace, crew, each.candidate, *each.evidence) for each in new)
        )


def drop_occurrences(
    db: apsw.Connection, workspace: str, crew: str, old: Iterable[Occurrence]
) -> None:
    """Forget *old* occurrences; call it inside a transaction."""
    sql = """
        delete from consolidation_occurrences
         where workspace_id = ? and crew_id = ? and ref = ? and sha256 = ?
    """
    with explained(db):
        db.executemany(
            sql,
            ((workspace, crew, o.evidence.ref, o.evidence.sha256) for o in old),
        )
