"""Days and weeks that memories are summed up by. Pure."""

from __future__ import annotations

from datetime import date, timedelta

from crewmem import times
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from crewmem.memories.memory import Memory

DAILY, WEEKLY = "daily", "weekly"

WARM, COLD = timedelta(days=7), timedelta(days=30)
"""From which age on details stand behind their summary, and are put away."""

AGING = frozenset({"context", "feedback", "error", "meeting"})
"""Kinds that age; and closed action items. What stands is not put away for its age."""


class Period(NamedTuple):
    """A day, or a week from Monday to Sunday.

    Attributes:
        kind: ``daily`` or ``weekly``.
        name: As 2026-05-01, or 2026-W18.
        first: Its first day.
        last: Its last day.
    """

    kind: str
    name: str
    first: date
    last: date

    def days(self) -> list[date]:
        """Return its days, in order."""
        count = (self.last - self.first).days + 1
        return [self.first + timedelta(days=number) for number in range(count)]

    @property
    def topic(self) -> str:
        """The key under which there is one summary of it."""
        return f"rollup/{self.kind}/{self.name}"


def day(of: date) -> Period:
    """Return the day *of*."""
    return Period(DAILY, of.isoformat(), of, of)


def week(of: date) -> Period:
    """Return the week, as ISO 8601 counts it, that *of* is in."""
    year, number, weekday = of.isocalendar()
    first = of - timedelta(days=weekday - 1)
    last = first + min(timedelta(days=6), date.max - first)
    return Period(WEEKLY, f"{year}-W{number:02}", first, last)


def read_week(text: str) -> Period:
    """Read a week such as 2026-W18, or a day in it.

    Raises:
        ValueError: If it is neither.
    """
    year, mark, number = text.upper().partition("-W")
    if mark:
        return week(date.fromisocalendar(int(year), int(number), 1))
    return week(date.fromisoformat(text))


def day_of(memory: Memory, zone: tzinfo) -> date:
    """Return the day that *memory* is counted on."""
    return times.day(when(memory), zone)


def when(memory: Memory) -> datetime:
    """Return from when on *memory* ages: when it happened or was written, the later."""
    if memory.occurred_at is None:
        return memory.created_at
    return max(memory.occurred_at, memory.created_at)
