"""Dates that a query names or asks for, and how well the date of a text matches them.

It reads ISO dates, years, months in several languages, and relative words for one day, week, month
or year. A date only affects the ranking and excludes nothing. So a number that is mistaken for a
year does little harm.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

OTHER_MONTHS = {
    "januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10,
    "dezember": 12, "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6,
    "julio": 7, "agosto": 8, "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
    "janvier": 1, "février": 2, "mars": 3, "avril": 4, "juin": 6, "juillet": 7, "août": 8,
    "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12,
}  # fmt: skip
"""German, Spanish and French months whose names differ from the English ones."""

SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, start=1)} | {"sept": 9}
MONTH_NUMBERS = SHORT_MONTHS | {name: at for at, name in enumerate(MONTHS, start=1)} | OTHER_MONTHS

UNSURE = {"may", "march", "mars", *SHORT_MONTHS}
"""Words that are months only after a preposition, or with a day or a year."""

PREPOSITION = (
    r"\b(?:in|on|of|since|until|till|by|during|before|after|from|to|early|mid|late"
    r"|last|this|next|between|through|im|am|seit|en|el|de|le)\s+$"
)
ISO = r"(?<![\w-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\w-])"
SPELLED = (
    r"(?<![\w-])(?:(?P<before>\d{1,2})(?:st|nd|rd|th|\.)?(?: of| de)?,? )?"
    rf"(?P<month>{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?![:\d]))?"
    r"(?:,? ?(?:of |de )?(?P<year>(?:19|20)\d\d)\b)?"
)
YEAR = r"(?<![\w.,$-])(?:19|20)\d\d(?![\w%-])"
RELATIVE = r"\b(today|yesterday|(?:this|last) (?:week|month|year))\b"

DAY, NEAR, MONTH, SAME_MONTH, A_YEAR = 1.0, 0.5, 0.5, 0.25, 0.1
"""How well a day matches: the named day; soon after it; a day of the named month; a day of the
named day's month; a day of the year. Values within .25 of these are within .002 on
conversations."""

SOON_DAYS = 7
"""Days within which people report what happened on a day."""

MAX_QUERY = 400
"""Maximum characters of a query that are searched for dates."""

WHEN = (
    r"(?i)\b(?:when|how long ago|(?:what|which) (?:date|day|week|month|year|time)"
    r"|wann|cuándo|quand)\b"
)
MOMENT = (
    r"(?i)\b(?:yesterday|today|tonight|tomorrow"
    r"|(?:last|next|this) (?:night|morning|evening|week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter)"
    r"|(?:day|week|weekend|month|year)s? ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|(?:19|20)\d\d)\b"
)
MAX_TEXT = 2_000
"""Maximum characters of a text that are read."""


class NamedDate(NamedTuple):
    """A date that a query names.

    Attributes:
        year: None if it names no year.
        month: From 1; None for a whole year.
        day: From 1; None for a whole month.
        days: Number of days, from *day* on.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    days: int = 1


def find_dates(text: str, today: date | None = None) -> tuple[NamedDate, ...]:
    """Return the dates that *text* names; relative ones count from *today*.

    Remove names of people first: April and August are names, too.
    """
    typed = " ".join(text[:MAX_QUERY].lower().split())
    found: list[NamedDate] = []
    if any(character.isdigit() for character in typed):
        for match in re.finditer(ISO, typed):
            found += _valid(int(match[1]), int(match[2]), int(match[3] or 0) or None)
            typed = _blank(typed, match)
    if any(name in typed for name in MONTH_NUMBERS):
        for match in re.finditer(SPELLED, typed):
            day = match["before"] or match["after"]
            is_sure = day or match["year"] or re.search(PREPOSITION, typed[: match.start()])
            if match["month"] not in UNSURE or is_sure:
                year = int(match["year"]) if match["year"] else None
                number = MONTH_NUMBERS[match["month"]]
                found += _valid(year, number, int(day) if day else None)
                typed = _blank(typed, match)
    if any(character.isdigit() for character in typed):
        found += [NamedDate(int(match[0])) for match in re.finditer(YEAR, typed)]
    if today:
        found += [_relative(match[1], today) for match in re.finditer(RELATIVE, typed)]
    return tuple(dict.fromkeys(found))


def closeness(dates: Iterable[NamedDate], at: str) -> float:
    """Return how well the day of *at*, a stored time, matches the best of *dates*, from 0 to 1."""
    try:
        year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
    except ValueError:
        return 0.0
    return max((_closeness(each, year, month, day) for each in dates), default=0.0)


def asks_when(text: str) -> bool:
    """Tell whether *text* asks for a time."""
    return bool(re.search(WHEN, text[:MAX_TEXT]))


def tells_when(text: str) -> bool:
    """Tell whether *text* names a day, a month, a year or another such time."""
    return bool(re.search(MOMENT, text[:MAX_TEXT]))


def _closeness(named: NamedDate, year: int, month: int, day: int) -> float:
    if named.year not in {None, year} and named.day is None:
        return 0.0
    if named.month is None:
        return A_YEAR
    if named.day is None:
        return MONTH if named.month == month else 0.0
    start = date(named.year or year, named.month, 1).toordinal() + named.day
    after = date(year, month, 1).toordinal() + day - start
    if 0 <= after < named.days:
        return DAY if named.days == 1 else MONTH
    if 0 <= after < named.days + SOON_DAYS:
        return NEAR if named.days == 1 else SAME_MONTH
    is_same_month = named.days == 1 and named.month == month and named.year in {None, year}
    return SAME_MONTH if is_same_month else 0.0


def _relative(words: str, today: date) -> NamedDate:
    which, _, unit = words.partition(" ")
    back = 0 if which in {"this", "today"} else 1
    if unit == "year":
        return NamedDate(today.year - back)
    if unit == "month":
        months = today.year * 12 + today.month - 1 - back
        return NamedDate(months // 12, months % 12 + 1)
    start = today.toordinal() - (today.weekday() + 7 * back if unit else back)
    first = date.fromordinal(max(start, 1))
    return NamedDate(first.year, first.month, first.day, 7 if unit else 1)


def _valid(year: int | None, month: int, day: int | None) -> list[NamedDate]:
    if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
        return [NamedDate(year, month, day)]
    return []


def _blank(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + " " * len(match[0]) + text[match.end() :]
