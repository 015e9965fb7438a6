"""Runs of suites and their cases, as they are kept. The only SQL on their tables."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.db.migrate import version
from crewmem.evaluation.gates import Gate
from crewmem.evaluation.metric import Metric
from crewmem.evaluation.outcome import Outcome
from crewmem.evaluation.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import apsw

STEP = 15
"""Of the schema that made the tables; a backup may be older."""

COLUMNS = (
    *("id", "workspace_id", "at", "actor", "verb", "suite", "suite_hash", "k"),
    *("seed", "cases", "embedder", "config", "is_trial", "metrics", "categories"),
    *("gates", "missed", "violations", "snapshot"),
)
"""In the order of the fields of a `Run`."""

JSON = ("config", "metrics", "categories", "gates", "missed", "violations")


def is_there(db: apsw.Connection) -> bool:
    """Tell whether *db* has the tables."""
    return version(db) >= STEP


def keep(db: apsw.Connection, run: Run, outcomes: Sequence[Outcome]) -> None:
    """Keep *run* with what came of its cases.

    Call it inside a transaction.
    """
    told: dict[str, Any] = dict(zip(COLUMNS, run, strict=True))
    told["at"] = times.to_text(run.at)
    told["is_trial"] = int(run.is_trial)
    for name in JSON:
        told[name] = json.dumps(_plain(told[name]))
    marks = ", ".join("?" * len(COLUMNS))
    with explained(db):
        db.execute(
            f"insert into eval_runs ({', '.join(COLUMNS)}) values ({marks})",
            tuple(told.values()),
        )
        seq = db.last_insert_rowid()
        db.executemany(
            "insert into eval_cases (run, place, case_id, outcome) values (?, ?, ?, ?)",
            [
                (seq, place, each.id, json.dumps(each._asdict()))
                for place, each in enumerate(outcomes)
            ],
        )


def _plain(value: object) -> object:
    """Return *value* with records as lists, which `_run` reads."""
    if hasattr(value, "items"):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def newest(
    db: apsw.Connection, workspace: str, limit: int, *, suite_hash: str | None = None
) -> list[Run]:
    """Return the newest runs of *workspace*, newest first, or those of one suite."""
    if not is_there(db):
        return []
    sql = f"""
        select {", ".join(COLUMNS)} from eval_runs
         where workspace_id = ?1 and (?2 is null or suite_hash = ?2)
         order by seq desc
         limit ?3
    """
    return [_run(row) for row in fetch(db, sql, (workspace, suite_hash, limit))]


def ids_like(db: apsw.Connection, workspace: str, name: str) -> list[str]:
    """Return the ids of runs of *workspace* that begin with *name*."""
    if not is_there(db):
        return []
    sql = """
        select id from eval_runs
         where workspace_id = ?1 and substr(id, 1, length(?2)) = ?2
         order by id limit 20
    """
    return [str(each) for (each,) in fetch(db, sql, (workspace, name))]


def find(
    db: apsw.Connection, workspace: str, run_id: str
) -> tuple[Run, list[Outcome]] | None:
    """Return the run *run_id* with what came of its cases; None if there is none."""
    if not is_there(db):
        return None
    sql = f"""
        select seq, {", ".join(COLUMNS)} from eval_runs
         where workspace_id = ? and id = ?
    """
    rows = fetch(db, sql, (workspace, run_id))
    if not rows:
        return None
    seq, *row = rows[0]
    cases = "select outcome from eval_cases where run = ? order by place"
    outcomes = [_outcome(text) for (text,) in fetch(db, cases, (seq,))]
    return _run(row), outcomes


def _run(row: Sequence[Any]) -> Run:
    told: dict[str, Any] = dict(zip(Run._fields, row, strict=True))
    for name in JSON:
        told[name] = json.loads(told[name])
    return Run(
        **{
            **told,
            "at": times.from_text(told["at"]),
            "is_trial": bool(told["is_trial"]),
            "metrics": _metrics(told["metrics"]),
            "categories": {
                name: _metrics(each) for name, each in told["categories"].items()
            },
            "gates": [Gate(*each) for each in told["gates"]],
        }
    )


def _metrics(told: Mapping[str, Sequence[Any]]) -> dict[str, Metric]:
    return {name: Metric(*each) for name, each in told.items()}


def _outcome(text: str) -> Outcome:
    told: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in json.loads(text).items()
        if name in Outcome._fields
    }
    return Outcome(**told)
