"""What a screen shows of the database with a few quick questions.

Of the last run of each job, all but what it counted: that is read from JSON, which
takes longer to load than all of this.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem.db.connect import fetch
from crewmem.records import NamedTuple
from crewmem.times import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import apsw

STEP = 10
"""Of the schema that made the table."""

LOCKS, MARK = "locks", "job."
"""Where lock files of jobs are, and what they begin with, as in jobs/standing.py, which
this does without; a test compares."""


class Run(NamedTuple):
    """The last run of a job.

    Attributes:
        name: The job.
        at: When it ended; where it found nothing to do, when it looked.
        result: ok, partial, failed, or nothing: it found nothing to do.
        reason: Why not all of it succeeded; "" if it did.
        failures: How often it failed in a row.
    """

    name: str
    at: datetime
    result: str
    reason: str
    failures: int


def runs(db: apsw.Connection, schema: int, home: str) -> tuple[Run, ...]:
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
    for name, looked in _touched(home).items():
        if name not in found or found[name].at < looked:
            found[name] = Run(name, looked, "nothing", "", 0)
    return tuple(sorted(found.values(), key=lambda each: each.at, reverse=True))


def is_any_held(db: apsw.Connection) -> bool:
    """Tell whether there is a memory or a proposal of anybody, in any workspace."""
    sql = "select exists (select 1 from memories) or exists (select 1 from proposals)"
    return bool(fetch(db, sql)[0][0])


def any_row(db: apsw.Connection) -> bool:
    """Tell whether a job was ever run that found something to do."""
    return bool(fetch(db, "select 1 from jobs limit 1"))


def _touched(home: str) -> Mapping[str, datetime]:
    """Return when each job last found nothing to do, of those that did."""
    from datetime import UTC, datetime

    try:
        with os.scandir(f"{home}/{LOCKS}") as entries:
            stamps = {
                each.name[len(MARK) :]: each.stat(follow_symlinks=False).st_mtime_ns
                for each in entries
                if each.name.startswith(MARK)
            }
    except OSError:
        return {}
    return {
        name: datetime.fromtimestamp(stamp // 1_000_000 / 1_000, UTC)
        for name, stamp in stamps.items()
        if stamp
    }
