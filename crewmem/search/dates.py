"""Dates that a query names or asks for.

It reads ISO dates, years, months in several languages, and relative words for one day, week, month
or year. A text of the named time counts as one that contains the words of the date: "what did we do
yesterday" finds the notes of yesterday. A date excludes nothing, so a number that is mistaken for a
year does little harm.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta, tzinfo
from typing import NamedTuple
from unicodedata import normalize

from crewmem.text.tokens import detect_language
from crewmem.times import day_start, format_time

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

OTHER_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "januar januari enero janvier gennaio janeiro styczen stycznia styczniu",
            "februar februari febrero fevrier febbraio fevereiro luty lutego lutym",
            "marz maerz maart marzo mars março marzec marca marcu",
            "abril avril aprile kwiecien kwietnia kwietniu",
            "mai mei mayo maggio maio maj maja maju",
            "juni junio juin giugno junho czerwiec czerwca czerwcu",
            "juli julio juillet luglio julho lipiec lipca lipcu",
            "agosto aout augustus sierpien sierpnia sierpniu",
            "septiembre septembre settembre setembro wrzesien wrzesnia wrzesniu",
            "oktober octubre octobre ottobre outubro pazdziernik pazdziernika pazdzierniku",
            "noviembre novembre listopad listopada listopadzie",
            "dezember diciembre decembre dicembre dezembro grudzien grudnia grudniu",
        ),
        start=1,
    )
    for name in names.split()
}
"""Months in seven other languages, without the accents that `_fold` removes."""

SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, start=1)} | {"sept": 9}
MONTH_NUMBERS = SHORT_MONTHS | {name: at for at, name in enumerate(MONTHS, start=1)} | OTHER_MONTHS

UNSURE = {"may", "march", "mars", "maja", "mei", *SHORT_MONTHS}
"""Words that are months only after a preposition, or with a day or a year."""

PREPOSITION = (
    r"\b(?:in|on|of|since|until|till|by|during|before|after|from|to|early|mid|late"
    r"|last|this|next|between|through|im|am|seit|en|el|de|le|sinds|vanaf|w|od)\s+$"
)
ISO = r"(?<![\w-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d)(?:t[\d:.]+z?)?)?(?![\w-])"
DOTTED = r"(?<![\w.-])(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)(?![\w-])"
SPELLED = (
    r"(?<![\w-])(?:(?P<before>\d{1,2})(?:st|nd|rd|th|\.)?(?: of| de)?,? )?"
    rf"(?P<month>{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?![:\d]))?"
    r"(?:,? ?(?:of |de )?(?P<year>(?:19|20)\d\d)\b)?"
)
YEAR = r"(?<![\w.,$-])(?:19|20)\d\d(?![\w%-])"
DAYS_AGO = {
    words: number
    for number, listed in (
        (0, "today, this morning, tonight, heute, vandaag, hoy, hoje, oggi, aujourd'hui"),
        (0, "dzisiaj, dzis"),
        (1, "yesterday, last night, gestern, gisteren, ayer, ontem, ieri, hier, wczoraj"),
        (2, "the day before yesterday, vorgestern, eergisteren, anteayer, anteontem, l'altro ieri"),
        (2, "avant-hier, przedwczoraj"),
    )
    for words in listed.split(", ")
}
FRENCH_YESTERDAY = "hier"
"""In other languages it is "here"."""

SPANS_AGO = {
    words: (unit, number)
    for unit, number, listed in (
        ("week", 0, "this week, diese woche, dieser woche, deze week, esta semana, cette semaine"),
        ("week", 0, "questa settimana, w tym tygodniu"),
        ("week", 1, "last week, letzte woche, letzter woche, vorige woche, vorige week"),
        ("week", 1, "afgelopen week, la semana pasada, semana passada, la semaine derniere"),
        ("week", 1, "settimana scorsa, scorsa settimana, w zeszłym tygodniu, w zeszlym tygodniu"),
        ("month", 0, "this month, diesen monat, diesem monat, deze maand, este mes, ce mois-ci"),
        ("month", 0, "questo mese, w tym miesiacu"),
        ("month", 1, "last month, letzten monat, letztem monat, vorige maand, afgelopen maand"),
        ("month", 1, "el mes pasado, mes passado, le mois dernier, mese scorso, scorso mese"),
        ("month", 1, "w zeszłym miesiacu, w zeszlym miesiacu"),
        ("year", 0, "this year, dieses jahr, diesem jahr, dit jaar, este ano, cette annee"),
        ("year", 0, "quest'anno, w tym roku"),
        ("year", 1, "last year, letztes jahr, letztem jahr, vorig jaar, afgelopen jaar"),
        ("year", 1, "el ano pasado, ano passado, l'annee derniere, anno scorso, scorso anno"),
        ("year", 1, "w zeszłym roku, w zeszlym roku"),
    )
    for words in listed.split(", ")
}
"""Days, weeks, months and years before that of today, by their words without accents."""

RELATIVE = rf"\b({'|'.join(sorted((*DAYS_AGO, *SPANS_AGO), key=len, reverse=True))})\b"
UNITS = {
    word: unit
    for unit, listed in (
        ("day", "day days tag tagen dag dagen dia dias jour jours giorno giorni dni"),
        ("week", "week weeks woche wochen weken semana semanas semaine semaines"),
        ("week", "settimana settimane tygodnie tygodni"),
        ("month", "month months monat monaten maand maanden mes meses mois mese mesi"),
        ("month", "miesiace miesiecy"),
        ("year", "year years jahr jahren jaar ano anos an ans anno anni lata lat"),
    )
    for word in listed.split()
}
AGO = (
    rf"\b(?P<number>\d{{1,3}}|an?|one|two|three|four|five|six) (?P<unit>{'|'.join(UNITS)})"
    r" (?:ago|fa|geleden|temu|atras)\b"
)
BEFORE = rf"\b(?:vor|il y a|hace) (?P<number>\d{{1,3}}) (?P<unit>{'|'.join(UNITS)})\b"
"""The same where the word for "ago" precedes the number."""

AGO_WORDS = (" ago", " fa", " geleden", " temu", " atras", "vor ", "il y a ", "hace ")
COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY = rf"\b(last |on )({'|'.join(WEEKDAYS)})\b"
PAST = r"\b(?:did|was|were|happened)\b"
"""Words of a query about the past. "Who is on call on Monday?" asks for no day."""

SINCE = r"\b(?:since|seit|depuis|desde|sinds|od|dal)\s+(?:the\s+|dem\s+|le\s+|el\s+)?$"

MAX_QUERY = 400
"""Maximum characters of a query that are searched for dates."""

WHEN = (
    r"(?i)\b(?:when(?:['\u2019]s|\s+(?:did|do|does|is|are|was|were|will|would|has|have|had|can|could"
    r"|should|must|may))|since when|how long ago|(?:what|which) (?:date|day|week|month|year|time)"
    r"|wann|cu[aá]ndo|quando?|wanneer|kiedy)\b"
)
MOMENT = (
    r"(?i)\b(?:yesterday|today|tonight|tomorrow"
    r"|(?:last|next|this) (?:night|morning|evening|week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter)"
    r"|(?:day|week|weekend|month|year)s? ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|(?-i:March|May)|april|june|july|august|september|october|november"
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
        phrase: The words that name it, in lower case.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    days: int = 1
    phrase: str = ""

    @property
    def is_valid(self) -> bool:
        """Whether month and day are in their ranges; 30 February is valid."""
        return (self.month is None or 1 <= self.month <= 12) and (
            self.day is None or 1 <= self.day <= 31
        )

    def covers(self, day: date) -> bool:
        """Return whether *day* is in the named time, in any year if it names none."""
        if self.month is None:
            return day.year == self.year
        if self.day is None:
            return day.month == self.month and self.year in {None, day.year}
        first = self.find_first_day(day.year)
        return first is not None and 0 <= (day - first).days < self.days

    def find_first_day(self, year: int) -> date | None:
        """Return the first day, in *year* if the date names none; None for 30 February."""
        try:
            return date(self.year or year, self.month or 1, self.day or 1)
        except ValueError:
            return None

    def find_bounds(self, today: date) -> tuple[date, date] | None:
        """Return the first day and the day after the last one; None for a whole year.

        A date without a year is the last one up to *today*.
        """
        first = self.find_first_day(today.year)
        if first is not None and self.year is None and first > today:
            first = self.find_first_day(today.year - 1)
        if first is None or self.month is None:
            return None
        if self.day is None:
            return first, date(first.year + first.month // 12, first.month % 12 + 1, 1)
        return first, first + timedelta(days=self.days)


def find_dates(text: str, today: date | None = None) -> tuple[NamedDate, ...]:
    """Return the dates that *text* names; relative ones count from *today*.

    Remove names of people first: April and August are names, too.
    """
    whole = " ".join(_fold(text[:MAX_QUERY].lower()).replace("\u2019", "'").split())
    rest = whole  # with spaces instead of the dates that were read
    found: list[NamedDate] = []
    # Compiling a pattern is slow, so each is used only for a text that it may match.
    has_digits = any(map(str.isdigit, whole))
    numeric = (_read_iso, _read_dotted) if has_digits else ()
    for read in (*numeric, _read_spelled, _read_ago, _read_relative, _read_weekday):
        for match, named in read(rest, today):
            found.append(named)
            rest = _blank(rest, match)
    if has_digits:
        found += [NamedDate(int(year[0]), phrase=year[0]) for year in re.finditer(YEAR, rest)]
    found = [each for each in found if each.is_valid]
    if today:
        found = [_extend(each, whole, today) for each in found]
    return tuple(dict.fromkeys(found))


FoundDates = Iterator[tuple[re.Match[str], NamedDate]]
"""Dates with their places; some are not valid, such as 2026-17-45."""


def _read_iso(text: str, today: date | None) -> FoundDates:
    for match in re.finditer(ISO, text):
        day = int(match[3] or 0) or None
        yield match, NamedDate(int(match[1]), int(match[2]), day, phrase=match[0])


def _read_dotted(text: str, today: date | None) -> FoundDates:
    for match in re.finditer(DOTTED, text):
        yield match, NamedDate(int(match[3]), int(match[2]), int(match[1]), phrase=match[0])


def _read_spelled(text: str, today: date | None) -> FoundDates:
    if not any(name in text for name in MONTH_NUMBERS):
        return
    rest = text
    for match in re.finditer(SPELLED, text):
        day = match["before"] or match["after"]
        is_sure = day or match["year"] or re.search(PREPOSITION, rest[: match.start()])
        if match["month"] not in UNSURE or is_sure:
            rest = _blank(rest, match)  # "in jan feb" names two months
            yield (
                match,
                NamedDate(
                    int(match["year"]) if match["year"] else None,
                    MONTH_NUMBERS[match["month"]],
                    int(day) if day else None,
                    phrase=match[0],
                ),
            )


def _read_ago(text: str, today: date | None) -> FoundDates:
    if today and any(words in text for words in AGO_WORDS):
        for match in (*re.finditer(AGO, text), *re.finditer(BEFORE, text)):
            count = COUNTS.get(match["number"]) or int(match["number"])
            yield match, _find_span(UNITS[match["unit"]], count, today, match[0])


def _read_relative(text: str, today: date | None) -> FoundDates:
    if today and any(words in text for words in (*DAYS_AGO, *SPANS_AGO)):
        for match in re.finditer(RELATIVE, text):
            words = match[1]
            if words == FRENCH_YESTERDAY and detect_language(text) != "fr":
                continue
            unit, count = SPANS_AGO.get(words) or ("day", DAYS_AGO[words])
            yield match, _find_span(unit, count, today, words)


def _read_weekday(text: str, today: date | None) -> FoundDates:
    if today and "day" in text:
        for match in re.finditer(WEEKDAY, text):
            if match[1] == "last " or re.search(PAST, text):
                days = (today.weekday() - WEEKDAYS.index(match[2]) - 1) % 7 + 1
                yield match, _find_span("day", days, today, match[0])


def find_times(dates: Iterable[NamedDate], today: date, zone: tzinfo) -> list[tuple[str, str]]:
    """Return beginning and end of each of *dates* but whole years, as times are stored."""
    bounds = [found for each in dates if (found := each.find_bounds(today)) is not None]
    return [(format_time(day_start(a, zone)), format_time(day_start(b, zone))) for a, b in bounds]


def asks_when(text: str) -> bool:
    """Return whether *text* asks for a time."""
    return bool(re.search(WHEN, text[:MAX_TEXT]))


def tells_when(text: str) -> bool:
    """Return whether *text* names a day, a month, a year or another such time."""
    return bool(re.search(MOMENT, text[:MAX_TEXT]))


def _extend(named: NamedDate, text: str, today: date) -> NamedDate:
    """Return *named* up to *today* if *text* asks for the time since then."""
    bounds = named.find_bounds(today)
    is_since = re.search(SINCE, text[: text.find(named.phrase)])
    if bounds is None or not is_since or bounds[0] > today:
        return named
    first = bounds[0]
    return NamedDate(first.year, first.month, first.day, (today - first).days + 1, named.phrase)


def _find_span(unit: str, count: int, today: date, phrase: str) -> NamedDate:
    """Return the day, week, month or year *count* units before that of *today*."""
    if unit == "year":
        return NamedDate(max(today.year - count, 1), phrase=phrase)
    if unit == "month":
        months = max(today.year * 12 + today.month - 1 - count, 12)
        return NamedDate(months // 12, months % 12 + 1, phrase=phrase)
    back = today.weekday() + 7 * count if unit == "week" else count
    first = date.fromordinal(max(today.toordinal() - back, 1))
    return NamedDate(first.year, first.month, first.day, 7 if unit == "week" else 1, phrase=phrase)


def _fold(text: str) -> str:
    """Return *text* without accents, but with cedillas: março is a month, and Marco a name."""
    if text.isascii():
        return text
    letters = re.sub("[\u0300-\u0326\u0328-\u036f]", "", normalize("NFD", text))
    return normalize("NFC", letters)


def _blank(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + " " * len(match[0]) + text[match.end() :]
