"""Dates that a question names or asks for, and what answers to them. Pure.

Months in English, ISO 8601, years; of relative words only those that mean one day,
week, month or year. A date is a hint to a ranking and excludes nothing, so that a
number which is taken for a year does little harm. What is told in words that count
from the day on which they were said ("last Friday") holds no date, and no word of the
question.
"""

from __future__ import annotations

import re

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

SHORT = {name[:3]: number for number, name in enumerate(MONTHS, start=1)} | {"sept": 9}
"""Abbreviated months. They are months only where something beside them says so."""

UNSURE = {"may", "march", *SHORT}
"""What is a month only after a preposition, or with a day or a year."""

# Patterns are compiled where they are used: that takes longer than most searches wait.

PREPOSITION = (
    r"\b(?:in|on|of|since|until|till|by|during|before|after|from|to|early|mid|late"
    r"|last|this|next|between|through)\s+$"
)

ISO = r"(?<![\w-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\w-])"

SPELLED = (
    r"(?<![\w-])(?:(?P<before>\d{1,2})(?:st|nd|rd|th)?(?: of)?,? )?"
    rf"(?P<month>{'|'.join([*MONTHS, *sorted(SHORT, reverse=True)])})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?![:\d]))?"
    r"(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d)\b)?"
)
"""A month with what belongs to it: ``3rd of May, 2023``, ``Oct. 13``, ``May 2023``."""

YEAR = r"(?<![\w.,$-])(?:19|20)\d\d(?![\w%-])"

RELATIVE = r"\b(today|yesterday|(?:this|last) (?:week|month|year))\b"

SIGNS = (*"0123456789", *(m[:3] for m in MONTHS), "day", "week", "month", "year")
"""What a text holds one of that names a date."""

DAY, NEAR, MONTH, SAME_MONTH, A_YEAR = 1.0, 0.5, 0.5, 0.25, 0.1
"""How well a day answers: the very day; soon after it; a day of the month that was
asked for; of the month of the day; of the year.

On the development half of LoCoMo all values within .25 of these had R@10 and nDCG@10
within .002.
"""

SOON_DAYS = 7
"""What happened on a day is told on it or within a week after."""

LONGEST = 400
"""Characters of a question that are searched for dates."""

WHEN = r"(?i)\b(?:when|how long ago|(?:what|which) (?:date|day|week|month|year|time))\b"

DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

MOMENT = (
    r"(?i)\b(?:yesterday|today|tonight|tomorrow"
    r"|(?:last|next|this) (?:night|morning|evening|week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter)"
    rf"|(?:day|week|weekend|month|year)s? ago|{DAYS}"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|(?:19|20)\d\d)\b"
)
"""That a "may" is no month here and there does no harm: it is a hint."""

READ = 2_000
"""Characters of a text that are looked at: of remarks that is all."""


class Asked(NamedTuple):
    """A date as a question names it.

    Attributes:
        year: None if it names none.
        month: From 1; None for a whole year.
        day: From 1; None for a whole month.
        days: How many days it is of, from `day` on.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    days: int = 1


def dates_in(text: str, today: date | None = None) -> tuple[Asked, ...]:
    """Return the dates that *text* names, in the order of their kinds.

    Relative ones count from *today*; without it there are none. Take names of people
    out first: April and August are some.
    """
    typed = " ".join(text[:LONGEST].lower().split())
    found: list[Asked] = []
    if not any(sign in typed for sign in SIGNS):
        return ()
    for pattern, read in ((ISO, _iso), (SPELLED, _spelled), (YEAR, _year)):
        for match in re.finditer(pattern, typed):
            if asked := read(match):
                found.append(asked)
                typed = _blanked(typed, match)
    if today:
        found += [_relative(m[1], today) for m in re.finditer(RELATIVE, typed)]
    return tuple(dict.fromkeys(found))


def closeness(dates: Iterable[Asked], at: str) -> float:
    """Return how well the day of *at*, as instants are stored, answers to *dates*.

    Within [0, 1]: the best of them counts; 0 where there is none.
    """
    try:
        day = int(at[:4]), int(at[5:7]), int(at[8:10])
    except ValueError:
        return 0.0
    return max((_closeness(asked, day) for asked in dates), default=0.0)


def asks_when(text: str) -> bool:
    """Tell whether *text* asks for a time."""
    return bool(re.search(WHEN, text[:READ]))


def tells_when(text: str) -> bool:
    """Tell whether *text* names a day, a month, a year or another such time."""
    return bool(re.search(MOMENT, text[:READ]))


def _closeness(asked: Asked, at: tuple[int, int, int]) -> float:
    year, month, _ = at
    if asked.year not in {None, year} and asked.day is None:
        return 0.0
    if asked.month is None:
        return A_YEAR
    if asked.day is None:
        return MONTH if asked.month == month else 0.0
    after = _days(at) - _days((asked.year or year, asked.month, asked.day))
    if 0 <= after < asked.days:
        return DAY if asked.days == 1 else MONTH
    if 0 <= after < asked.days + SOON_DAYS:
        return NEAR if asked.days == 1 else SAME_MONTH
    is_month = asked.days == 1 and asked.month == month
    return SAME_MONTH if is_month and asked.year in {None, year} else 0.0


def _days(day: tuple[int, int, int]) -> int:
    """Return *day* as a count; a day too many is one of the next month."""
    from datetime import date

    year, month, number = day
    return date(year, month, 1).toordinal() + number


def _iso(match: re.Match[str]) -> Asked | None:
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 0)
    return _valid(year, month, day or None)


def _spelled(match: re.Match[str]) -> Asked | None:
    name, day = match["month"], match["before"] or match["after"]
    before = match.string[: match.start()]
    is_told = day or match["year"] or re.search(PREPOSITION, before)
    if name in UNSURE and not is_told:
        return None
    year = int(match["year"]) if match["year"] else None
    return _valid(year, SHORT[name[:3]], int(day) if day else None)


def _year(match: re.Match[str]) -> Asked:
    return Asked(int(match[0]))


def _valid(year: int | None, month: int, day: int | None) -> Asked | None:
    is_day = day is None or 1 <= day <= 31  # noqa: PLR2004 (of a calendar)
    return Asked(year, month, day) if 1 <= month <= len(MONTHS) and is_day else None


def _relative(words: str, today: date) -> Asked:
    which, _, unit = words.partition(" ")
    back = 0 if which in {"this", "today"} else 1
    if unit == "year":
        return Asked(today.year - back)
    if unit == "month":
        months = today.year * len(MONTHS) + today.month - 1 - back
        return Asked(months // len(MONTHS), months % len(MONTHS) + 1)
    start = today.toordinal() - (today.weekday() + 7 * back if unit else back)
    first = today.fromordinal(max(start, 1))  # before the first day there is none
    return Asked(first.year, first.month, first.day, 7 if unit else 1)


def _blanked(text: str, match: re.Match[str]) -> str:
    """Return *text* without *match*, at its length."""
    return text[: match.start()] + " " * len(match[0]) + text[match.end() :]
