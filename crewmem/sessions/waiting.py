"""Logs that are not indexed yet, or not to their end."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from crewmem.sessions.logs import FoundLog, find_logs, list_roots
from crewmem.storage.sqlite import Database
from crewmem.times import format_time


class WaitingLog(NamedTuple):
    """A log with something to read.

    Attributes:
        program: That wrote it; "" when only its content tells.
        bytes: That are not indexed.
        changed_at: When it was last written to.
        is_new: Whether nothing of it is indexed.
    """

    path: Path
    program: str
    bytes: int
    changed_at: str
    is_new: bool


def list_waiting(db: Database | None, home: Path, variables: Mapping[str, str]) -> list[WaitingLog]:
    """Return the logs that grew, or are new, since they were indexed; nothing is read of them.

    Args:
        db: The index of sessions; None when nothing was ever indexed.
        home: The person's home directory.
        variables: The environment, by which programs may be told where their logs are.
    """
    known = {}
    if db is not None:
        known = {
            path: (size, mtime_ns)
            for path, size, mtime_ns in db.execute(
                "select path, max(size), max(mtime_ns) from logs group by path"
            )
        }
    waiting = []
    for found in find_logs(list_roots(home, variables, "auto", None)):
        if not isinstance(found, FoundLog) or not found.status.st_size:
            continue
        size, mtime_ns = known.get(str(found.path), (0, 0))
        if (size, mtime_ns) == (found.status.st_size, found.status.st_mtime_ns):
            continue
        changed = datetime.fromtimestamp(min(found.status.st_mtime, 253_402_300_000), UTC)
        waiting.append(
            WaitingLog(
                found.path,
                found.format.name if found.format is not None else "",
                max(found.status.st_size - size, 0),
                format_time(changed),
                not size,
            )
        )
    return waiting
