"""Instants, days and spans as text. Nothing else knows how a time is spelled.

Stored instants are UTC; days, and times that name no offset, are of a zone that the
caller names.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.errors.values import BadTimeError

MINUTE, HOUR, DAY, YEAR = 60, 3_600, 86_400, 365 * 86_400

SPAN_UNITS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
"""Seconds of each letter that a span may end with."""

AGES = (
    (2 * YEAR, YEAR, "y"),
    (DAY, DAY, "d"),
    (HOUR, HOUR, "h"),
    (MINUTE, MINUTE, "min"),
)
"""From how many seconds on an age is told in which unit.

Days go up to two years: what is 400 days old and what is 700 days old differ.
"""

A_SPAN = "a span such as 30s, 90m, 24h, 7d or 2w"
A_TIME = f"a time such as 2026-05-01T09:30:00Z, a date, or {A_SPAN} back from now"
A_YEAR = "within the years 1 to 9999"

SEPARATORS = ("", "T", "t", " ")
"""What follows a date that a person typed: nothing, or its time of day."""

_DATE = len("2026-05-01")


def to_text(instant: datetime) -> str:
    """Spell *instant* as it is stored: UTC, milliseconds cut, a final Z.

    All spellings have one length, so text order is time order.
    """
    utc = instant.astimezone(UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='milliseconds')}Z"


def from_text(text: str) -> datetime:
    """Read an instant spelled by `to_text`, or by any ISO 8601 writer.

    One without an offset is UTC, whatever zone this process is in.

    Raises:
        BadTimeError: If it is not one.
    """
    try:
        return _utc(datetime.fromisoformat(text), UTC)
    except (ValueError, OverflowError) as error:
        raise _bad(text, "an instant such as 2026-05-01T09:30:00Z") from error


def read(text: str, *, now: datetime, zone: tzinfo) -> datetime:
    """Read what a person types for a time, as an instant in UTC.

    That is RFC 3339, a date (the start of that day), either of them in *zone*
    unless it names an offset, or a span back from *now*.

    Raises:
        BadTimeError: If it is none of these, or before the year 1 or after 9999.
    """
    typed = text.strip()
    try:
        if _is_span(typed):
            return _utc(now, zone) - _span(typed)
        return _utc(_calendar(typed), zone)
    except OverflowError as error:
        raise _bad(text, A_YEAR) from error
    except ValueError as error:
        raise _bad(text, A_TIME) from error


def span(text: str) -> timedelta:
    """Read a span such as ``90m``, ``24h``, ``7d``, ``2w`` or ``30s``.

    Raises:
        BadTimeError: If it is not one, or longer than a `timedelta` can be.
    """
    typed = text.strip()
    try:
        if _is_span(typed):
            return _span(typed)
    except (ValueError, OverflowError) as error:
        raise _bad(text, A_SPAN) from error
    raise _bad(text, A_SPAN)


def _bad(text: str, wanted: str) -> BadTimeError:
    from crewmem.errors.values import BadTimeError

    return BadTimeError(text, wanted)


def zone(name: str) -> tzinfo:
    """Return the zone called *name*, as ``Europe/Berlin``; the system's for "".

    Raises:
        BadZoneError: If this system's time zone database has none of that name.
    """
    if not name:
        return SystemZone()
    if name == "UTC":  # known where there is no database, as in a small container
        return UTC
    from zoneinfo import ZoneInfo  # 4 ms, for a named zone only

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        from crewmem.errors.values import BadZoneError

        raise BadZoneError(name) from error


LATEST_NS = (1 << 63) - 1
"""Nanoseconds that a column holds; what is of the year 2262 or later is as young."""


def nanoseconds(instant: datetime) -> int:
    """Return *instant* in nanoseconds of Unix time, as far as a column holds them."""
    return max(-LATEST_NS, min(int(instant.timestamp() * 1e9), LATEST_NS))


FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
"""The ends of the calendar. A clock may say either."""


def of_milliseconds(number: int) -> datetime:
    """Return the instant at so many milliseconds of Unix time; an end, if none is."""
    try:
        return datetime.fromtimestamp(number / 1000, UTC)
    except (ValueError, OverflowError):
        return FIRST if number < 0 else LAST


def before(instant: datetime, span: timedelta) -> datetime:
    """Return the instant a *span* before another; the first, if none is so early."""
    try:
        return instant - span
    except OverflowError:
        return FIRST


def after(instant: datetime, span: timedelta) -> datetime:
    """Return the instant a *span* after another; the last, if none is so late."""
    try:
        return instant + span
    except OverflowError:
        return LAST


def day(instant: datetime, zone: tzinfo) -> date:
    """Return the date of *instant* in *zone*, as far as `local` has it."""
    return local(instant, zone).date()


def local(instant: datetime, zone: tzinfo) -> datetime:
    """Return *instant* in *zone*; in UTC where that would be outside the calendar."""
    try:
        return instant.astimezone(zone)
    except (ValueError, OverflowError):
        return instant.astimezone(UTC)


def ago(then: datetime, now: datetime) -> str:
    """Tell how long *then* is ago, for people: ``12 d ago``, ``in 3 h``."""
    seconds = int((now - then).total_seconds())
    for least, length, unit in AGES:
        if abs(seconds) >= least:
            age = f"{abs(seconds) // length} {unit}"
            return f"{age} ago" if seconds > 0 else f"in {age}"
    return "just now"


class SystemZone(tzinfo):
    """The zone of this process: ``TZ``, else what ``/etc/localtime`` says.

    It asks the C library for each instant, so summer time is right all year, which
    the fixed offset of ``datetime.now().astimezone()`` is not.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return how far *moment*, a time of this zone, is ahead of UTC."""
        if moment is None:
            return None
        return _here(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None: how much of the offset is summer time is not known."""

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the zone's abbreviation at *moment*."""
        if moment is None:
            return None
        return _here(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        """Return the time here at *moment*, whose digits are those of UTC."""
        here = moment.replace(tzinfo=UTC).astimezone()
        local = here.replace(tzinfo=self)
        # When the clocks go back an hour is met twice: the other one is the second.
        return local.replace(fold=int(local.utcoffset() != here.utcoffset()))


def _here(moment: datetime) -> datetime:
    """Return *moment*, a time of this process's zone, with its offset.

    Some interpreters look a day ahead for it: of the last day, it is the day before's.
    """
    local = moment.replace(tzinfo=None)
    if local.date() == date.max:
        local -= timedelta(days=1)
    return local.astimezone()


def _utc(instant: datetime, zone: tzinfo) -> datetime:
    local = instant if instant.tzinfo else instant.replace(tzinfo=zone)
    try:
        return local.astimezone(UTC)
    except ValueError as error:  # the system's zone says so before the year 1
        raise OverflowError(*error.args) from error


def _calendar(typed: str) -> datetime:
    """Read a date or an RFC 3339 time; `fromisoformat` alone takes far more."""
    if not (typed[4:5] == typed[7:8] == "-" and typed[_DATE : _DATE + 1] in SEPARATORS):
        raise ValueError(typed)
    return datetime.fromisoformat(typed.upper())


def _is_span(typed: str) -> bool:
    return typed.isascii() and typed[:-1].isdigit() and typed[-1] in SPAN_UNITS


def _span(typed: str) -> timedelta:
    return timedelta(seconds=int(typed[:-1]) * SPAN_UNITS[typed[-1]])


def spelled(when: date) -> str:
    """Spell an instant as `to_text` does, and a day as ``2026-05-01``."""
    return to_text(when) if isinstance(when, datetime) else when.isoformat()
