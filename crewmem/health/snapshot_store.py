"""How healthy memory was, day by day. The only SQL on the table of snapshots."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.db.migrate import version
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

STEP = 11
"""Of the schema that made the table; a backup may be older."""

METRICS = ("freshness", "coverage", "coherence", "efficiency", "reachability")
"""Columns of the metrics, in the order of the table."""

LAST_DAY = "9999-12-31"
"""Of the calendar."""

COLUMNS = ("workspace_id", "crew_id", "snapshot_date", *METRICS, "score")


class Snapshot(NamedTuple):
    """How healthy the memory of a workspace, or of one of its crews, was on a day.

    Attributes:
        workspace_id: The workspace.
        crew_id: The crew; "" for the whole workspace.
        snapshot_date: The day, in UTC, as 2026-05-01.
        freshness: From 0 to 100, as are the others; null: there was nothing to judge.
        coverage: How much of what should be indexed was.
        coherence: How much entries grouped around themes.
        efficiency: How many hits of recalls were distinct and relevant.
        reachability: How many episodes were connected.
        score: All of them together; null where there was none.
    """

    workspace_id: str
    crew_id: str
    snapshot_date: str
    freshness: float | None
    coverage: float | None
    coherence: float | None
    efficiency: float | None
    reachability: float | None
    score: float | None


def keep(db: apsw.Connection, snapshot: Snapshot) -> None:
    """Keep *snapshot*, in the place of an earlier one of its day.

    Call it inside a transaction.
    """
    renewed = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[3:])
    db.execute(
        f"""
        insert into memory_health_snapshots ({", ".join(COLUMNS)})
        values ({", ".join("?" * len(COLUMNS))})
        on conflict (workspace_id, crew_id, snapshot_date) do update set {renewed}
        """,
        tuple(snapshot),
    )


def newest(
    db: apsw.Connection, workspace: str, crew: str = "", until: str = LAST_DAY
) -> Snapshot | None:
    """Return the newest snapshot of *workspace*, or of its *crew*; None without any.

    Args:
        until: None of after this day: a clock that was wrong may have kept one.
    """
    return next(iter(_rows(db, workspace, crew, until=until, limit=1)), None)


def of_day(db: apsw.Connection, workspace: str, crew: str, day: str) -> Snapshot | None:
    """Return the snapshot of *day*; None without one."""
    return next(iter(_rows(db, workspace, crew, day, until=day)), None)


def since(
    db: apsw.Connection, workspace: str, crew: str, first_day: str
) -> list[Snapshot]:
    """Return the snapshots from *first_day* on, the oldest first."""
    return _rows(db, workspace, crew, first_day)[::-1]


def newest_score(
    db: apsw.Connection, workspace: str, crew: str = "", until: str = LAST_DAY
) -> tuple[float | None, str] | None:
    """Return the newest score and its day; None where nothing was ever measured.

    The score is None where there was nothing to judge by.
    """
    found = newest(db, workspace, crew, until)
    return (found.score, found.snapshot_date) if found else None


def _rows(
    db: apsw.Connection,
    workspace: str,
    crew: str,
    first_day: str = "",
    *,
    until: str = LAST_DAY,
    limit: int = -1,
) -> list[Snapshot]:
    """Return snapshots, the newest first; none of a database that is too old."""
    if version(db) < STEP:
        return []
    sql = f"""
        select {", ".join(COLUMNS)}
          from memory_health_snapshots
         where workspace_id = ? and crew_id = ? and snapshot_date between ? and ?
         order by snapshot_date desc
         limit ?
    """
    rows = fetch(db, sql, (workspace, crew, first_day, until, limit))
    return [Snapshot(*row) for row in rows]
