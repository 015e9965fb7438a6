"""Counting entries by what they have in common."""

from __future__ import annotations

from collections import Counter

from crewmem import times
from crewmem.db.connect import filename
from crewmem.errors.database import DatabaseDamagedError
from crewmem.errors.values import BadTimeError
from crewmem.journal.listing_store import counts
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

    import apsw

    from crewmem.journal.filter import Filter


class Count(NamedTuple):
    """How many entries have something in common.

    Attributes:
        key: A type, a day as 2026-05-01, or an agent; null for those of no agent.
        entries: How many there are.
    """

    key: str | None
    entries: int


def count(db: apsw.Connection, wanted: Filter, by: str, *, zone: tzinfo) -> list[Count]:
    """Count the entries that are *wanted* by ``type``, ``day`` or ``agent``.

    Days, which are those of *zone*, come in their order; else the most come first.
    """
    total: Counter[str] = Counter()
    try:
        for key, number in counts(db, wanted, by):
            total[_day(key, zone) if by == "day" else key] += number
    except BadTimeError as error:
        reason = f"of an entry of the journal {error.text!r} is the time"
        raise DatabaseDamagedError(filename(db), reason) from error
    found = [Count(key or None, number) for key, number in sorted(total.items())]
    return found if by == "day" else sorted(found, key=lambda each: -each.entries)


def _day(minute: str, zone: tzinfo) -> str:
    return times.day(times.from_text(f"{minute}:00Z"), zone).isoformat()
