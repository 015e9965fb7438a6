"""How each job came out, as it is kept in crewmem.db. The only SQL on `jobs`."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.errors.jobs import RunUnreadableError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    import apsw

COLUMNS = """
    name, first_start, last_start, last_end, result, reason, counts, failures, next_due
"""


class Row(NamedTuple):
    """The last run of a job that did something, or failed.

    Attributes:
        name: The job; ``sweep@lab`` where it looks after one workspace alone.
        first_start: When the first of its runs began that did something.
        last_start: When the last one began.
        last_end: When it ended.
        result: ok, partial or failed.
        reason: Why not all of it succeeded; "" if it did.
        counts: What was done, by name.
        failures: Runs that failed since the last that did not, or of which a part did.
        next_due: When it was to be run again, as it was planned then; None: never.
    """

    name: str
    first_start: datetime
    last_start: datetime
    last_end: datetime
    result: str
    reason: str
    counts: Mapping[str, int]
    failures: int
    next_due: datetime | None


def rows(db: apsw.Connection, *, lenient: bool = False) -> dict[str, Row]:
    """Return what is kept of every job, by name; nothing in an older database.

    With *lenient* what cannot be read is left out, as if it was not kept.

    Raises:
        RunUnreadableError: If it is not as jobs write it.
    """
    known = "select 1 from sqlite_schema where type = 'table' and name = 'jobs'"
    if not fetch(db, known):
        return {}
    found = fetch(db, f"select {COLUMNS} from jobs order by name")
    kept: dict[str, Row] = {}
    for row in found:
        try:
            kept[row[0]] = _row(row)
        except RunUnreadableError:
            if not lenient:
                raise
    return kept


def keep(db: apsw.Connection, row: Row) -> None:
    """Keep *row* in the place of an earlier one, whose beginning stays."""
    from json import dumps

    sql = f"""
        insert into jobs ({COLUMNS})
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (name) do update
           set last_start = excluded.last_start,
               last_end = excluded.last_end,
               result = excluded.result,
               reason = excluded.reason,
               counts = excluded.counts,
               failures = excluded.failures,
               next_due = excluded.next_due
    """
    values = (
        row.name,
        times.to_text(row.first_start),
        times.to_text(row.last_start),
        times.to_text(row.last_end),
        row.result,
        row.reason,
        dumps(dict(row.counts)),
        row.failures,
        times.to_text(row.next_due) if row.next_due else None,
    )
    with explained(db):
        db.execute(sql, values)


def _row(row: Sequence[Any]) -> Row:
    try:
        return _read(*row)
    except (ValueError, TypeError) as error:
        raise RunUnreadableError(row[0], str(error)) from error


def _read(
    name: str,
    first: str,
    start: str,
    end: str,
    result: str,
    reason: str,
    counts: str,
    failures: int,
    due: str | None,
) -> Row:
    from json import loads

    return Row(
        name=name,
        first_start=times.from_text(first),
        last_start=times.from_text(start),
        last_end=times.from_text(end),
        result=result,
        reason=reason,
        counts={name: int(count) for name, count in dict(loads(counts)).items()},
        failures=failures,
        next_due=times.from_text(due) if due else None,
    )
