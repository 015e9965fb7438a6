"""When something is due, as a person spells it: 30s, 6h, 03:00, sun 04:30 or off. Pure.

Here rather than where schedules are computed, for a setting has to know its values.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.settings.shapes import WHEN_WANTED

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of a week, in the order in which Python counts them."""

OFF = "off"
"""What leaves a job out."""

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
"""Seconds of each letter that a span may end with."""

MINUTE, DAY = 60, 86_400

SHORTEST = 10
"""Seconds: what comes more often is no timer, but a program that stays."""


class When(NamedTuple):
    """When something is due again and again.

    Attributes:
        seconds: From one time to the next, counted from midnight in UTC; 0 for a time
            of day.
        minute: Of the day, for a time of day.
        weekday: Of a week, Monday 0; None: every day.
    """

    seconds: int = 0
    minute: int = 0
    weekday: int | None = None


def read(text: str) -> When | None:
    """Read a schedule; None for `OFF`.

    Raises:
        ValueError: If it is none.
    """
    words = text.strip().lower().split()
    if words == [OFF]:
        return None
    if len(words) == 1 and words[0][-1] in UNITS:
        return When(seconds=_span(words[0]))
    if len(words) == 1:
        return When(minute=_minute(words[0]))
    if len(words) == 2 and words[0] in DAYS:  # noqa: PLR2004 - a day and a time
        return When(minute=_minute(words[1]), weekday=DAYS.index(words[0]))
    raise ValueError(WHEN_WANTED)


def is_when(text: str) -> bool:
    """Tell whether *text* spells a schedule."""
    try:
        read(text)
    except ValueError:
        return False
    return True


def spelled(when: When) -> str:
    """Spell *when* as `read` reads it."""
    if not when.seconds:
        time = f"{when.minute // 60:02}:{when.minute % 60:02}"
        return time if when.weekday is None else f"{DAYS[when.weekday]} {time}"
    unit = next(each for each in "dhms" if not when.seconds % UNITS[each])
    return f"{when.seconds // UNITS[unit]}{unit}"


def _span(word: str) -> int:
    """Return the seconds of a span that can be had of crontabs and timers alike."""
    if not _is_number(word[:-1]):
        raise ValueError(WHEN_WANTED)
    seconds = int(word[:-1]) * UNITS[word[-1]]
    is_even = MINUTE % seconds == 0 if 0 < seconds < MINUTE else not seconds % MINUTE
    if seconds < SHORTEST or seconds > DAY or DAY % seconds or not is_even:
        raise ValueError(WHEN_WANTED)
    return seconds


def _minute(word: str) -> int:
    hour, colon, minute = word.partition(":")
    if not (colon and _is_number(hour) and _is_number(minute) and len(minute) == 2):  # noqa: PLR2004 - two digits
        raise ValueError(WHEN_WANTED)
    if int(hour) > 23 or int(minute) > 59:  # noqa: PLR2004 - hours and minutes
        raise ValueError(WHEN_WANTED)
    return int(hour) * 60 + int(minute)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 5  # noqa: PLR2004 - 86400s
