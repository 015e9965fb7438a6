"""What a run leaves that keeps neither row nor entry: a line in its lock file.

It says when that was, in words: a time of the file would be that of a copy of it, as
soon as somebody copies the home. An idle sweep loads this, and little else of its room.
"""

from __future__ import annotations

import os

from crewmem import times
from crewmem.jobs.naming import LOCK
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

NOTHING, BUSY = "nothing", "busy"
"""Results: it found nothing to do, or the database was locked, and it did not."""

LOCKED = "crewmem.db is locked by another process"
"""Why a run came to nothing that was `BUSY`."""

MOST = 80
"""Bytes that are read of a mark; one has 45."""


class Mark(NamedTuple):
    """What a run left.

    Attributes:
        at: When it began.
        result: nothing or busy.
        failures: How often in a row it was kept from working; 0 if it was not.
    """

    at: datetime
    result: str = NOTHING
    failures: int = 0

    @property
    def reason(self) -> str:
        """Say why it came to nothing; "" if there was nothing to do."""
        return LOCKED if self.failures else ""


def spelled(mark: Mark) -> bytes:
    """Return *mark* as a line; all are as long, so that none is ever half another's."""
    line = f"{times.to_text(mark.at)} {mark.result:8}{min(mark.failures, 99_999):>6}\n"
    return line.encode()


def read(line: bytes) -> Mark | None:
    """Return the mark that *line* spells; None if it is none."""
    try:
        at, result, failures = line.decode().split()
        mark = Mark(times.from_text(at), result, int(failures))
    except ValueError:
        return None
    is_known = result == (BUSY if mark.failures else NOTHING)
    return mark if is_known and mark.failures >= 0 else None


def of_job(home: str | os.PathLike[str], key: str, now: datetime) -> Mark | None:
    """Return the mark of the job that is kept as *key*; None if it has none.

    One of the future was made by a clock that was wrong, or in another replay: it would
    hide for long that a job is late, and is none.
    """
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        opened = os.open(f"{os.fspath(home)}/{LOCK}{key}", flags)
    except OSError:
        return None
    try:
        mark = read(os.read(opened, MOST))
    except OSError:  # a directory of that name
        return None
    finally:
        os.close(opened)
    return mark if mark and mark.at <= now else None


def of_jobs(
    home: str | os.PathLike[str], keys: Iterable[str], now: datetime
) -> dict[str, Mark]:
    """Return the marks of the jobs that are kept as *keys*, of those that have one."""
    found = {key: of_job(home, key, now) for key in keys}
    return {key: mark for key, mark in found.items() if mark}


def every(home: str | os.PathLike[str], now: datetime) -> Mapping[str, Mark]:
    """Return the marks of all jobs of *home*, whatever workspace they look after."""
    folder, _, beginning = LOCK.rpartition("/")
    try:
        names = os.listdir(f"{os.fspath(home)}/{folder}")  # noqa: PTH208 - names
    except OSError:
        return {}
    keys = [name[len(beginning) :] for name in names if name.startswith(beginning)]
    return of_jobs(home, keys, now)
