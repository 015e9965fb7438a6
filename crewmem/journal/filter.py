"""Which entries are asked for. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.db.where import Where
from crewmem.errors.values import BadCursorError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.scope import Reach

MARK = "~"
"""Between the two parts of a cursor; neither holds it."""

SEQ_MOST = (1 << 63) - 1
"""The last place that a database has."""


class Filter(NamedTuple):
    """What entries have to be to be listed or counted; all of it, where it is said.

    Attributes:
        types: Globs of types, of which one has to fit.
        excluded: Globs of types, of which none may.
        since: Not before.
        until: Not after.
        words: An expression for MATCH; None: whatever the words; "": none can match.
        with_archive: Whether archived entries count.
    """

    reach: Reach
    types: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    crew: str | None = None
    agent: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: str | None = None
    with_archive: bool = False

    def where(self) -> Where:
        """Return the conditions on the columns that the archive has as well."""
        where = Where()
        self.reach.limit(where)
        where.like_any("entry_type", [_glob(each) for each in self.types])
        where.like_any("entry_type", [_glob(each) for each in self.excluded], no=True)
        where.any_of("severity", self.severities or None)
        where.any_of("priority", self.priorities or None)
        where.equal("crew_id", self.crew)
        where.equal("agent_id", self.agent)
        # What is stored is cut to milliseconds: so is the end; the start rounded up.
        where.at_least("ts", times.to_text(_up(self.since)) if self.since else None)
        where.at_most("ts", times.to_text(self.until) if self.until else None)
        return where


class Cursor(NamedTuple):
    """An entry in the order of time, from which a listing goes on."""

    ts: str
    seq: int

    def __str__(self) -> str:
        return f"{self.ts}{MARK}{self.seq}"


def cursor(text: str) -> Cursor:
    """Read what `Cursor` spelled.

    Raises:
        BadCursorError: If it is something else.
    """
    ts, mark, seq = text.partition(MARK)
    try:
        is_ours = bool(mark) and times.to_text(times.from_text(ts)) == ts
        if is_ours and seq.isascii() and seq.isdigit() and int(seq) <= SEQ_MOST:
            return Cursor(ts, int(seq))
    except ValueError:
        pass
    raise BadCursorError(text)


def _glob(text: str) -> str:
    """Return *text*, where * and ? stand for anything, as SQLite's glob."""
    return text.replace("[", "[[]")


def _up(instant: datetime) -> datetime:
    from datetime import timedelta

    extra = instant.microsecond % 1000
    try:
        return instant + timedelta(microseconds=1000 - extra if extra else 0)
    except OverflowError:
        return instant
