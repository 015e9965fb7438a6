"""What a screen shows of the database with a few quick questions.

Of the last run of each job, all but what it counted: that is read from JSON, which
takes longer to load than all of this.
"""

from __future__ import annotations

from contextlib import suppress

from crewmem.db.connect import fetch
from crewmem.jobs.mark import every
from crewmem.records import NamedTuple
from crewmem.times import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw

STEP = 10
"""Of the schema that made the table."""


class Run(NamedTuple):
    """The last run of a job.

    Attributes:
        name: The job.
        at: When it ended; where it found nothing to do, when it looked.
        result: ok, partial, failed, nothing: it found nothing to do, or busy: the
            database was locked.
        reason: Why not all of it succeeded; "" if it did.
        failures: How often it failed in a row.
    """

    name: str
    at: datetime
    result: str
    reason: str
    failures: int


def runs(db: apsw.Connection, schema: int, home: str, now: datetime) -> tuple[Run, ...]:
    """Return the last run of each job of *home*, the latest first.

    *db*, which is its crewmem.db, is of the version *schema*.
    """
    if schema < STEP:
        return ()
    found = {}
    sql = "select name, last_end, result, reason, failures from jobs"
    for name, ended, *rest in fetch(db, sql):
        with suppress(ValueError):  # jobs.due says that it cannot be read
            found[name] = Run(name, from_text(ended), *rest)
    for name, mark in every(home, now).items():
        if name not in found or not mark.at <= found[name].at <= now:
            found[name] = Run(name, *mark[:2], mark.reason, mark.failures)
    return tuple(sorted(found.values(), key=lambda each: each.at, reverse=True))


def is_any_held(db: apsw.Connection) -> bool:
    """Tell whether there is a memory or a proposal of anybody, in any workspace."""
    sql = "select exists (select 1 from memories) or exists (select 1 from proposals)"
    return bool(fetch(db, sql)[0][0])


def any_row(db: apsw.Connection) -> bool:
    """Tell whether a job was ever run that found something to do."""
    return bool(fetch(db, "select 1 from jobs limit 1"))
