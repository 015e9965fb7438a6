"""Times as stored, as typed by people and as shown to them.

Stored times are RFC 3339 in UTC with milliseconds, ``2026-05-01T09:30:00.000Z``. All have
the same length, so the order of the text is the order of time.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from crewmem.errors import SettingsError, UsageError

SPAN_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}
"""Seconds of each unit of a span; a year has 365 days."""

SPAN = re.compile(rf"(\d{{1,9}})([{''.join(SPAN_SECONDS)}])")

STORED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
"""A stored time."""

EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 30, tzinfo=UTC)
"""Limits of times: one day inside the calendar's, so that every time zone can show them."""


def format_time(moment: datetime) -> str:
    """Format *moment* as it is stored."""
    utc = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return utc.removesuffix("+00:00") + "Z"


def parse_time(text: str) -> datetime:
    """Parse a stored time, or any ISO 8601 time; without an offset it is UTC.

    Raises:
        UsageError: If *text* is not a time.
    """
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"'{text}' is not a time such as 2026-05-01T09:30:00Z", code="bad-time"
        ) from error


def normalize_time(text: str) -> str:
    """Convert an ISO 8601 time to the stored format; without an offset it is UTC.

    Raises:
        UsageError: If *text* is not a time.
    """
    moment = parse_time(text)
    return text if STORED.fullmatch(text) else format_time(moment)


def parse_span(text: str) -> timedelta:
    """Parse a span such as ``30s``, ``90m``, ``24h``, ``7d``, ``2w`` or ``1y``.

    Raises:
        UsageError: If *text* is not a span.
    """
    match = SPAN.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(
            f"'{text}' is not a span such as 30s, 90m, 24h, 7d, 2w or 1y", code="bad-span"
        )
    try:
        return timedelta(seconds=int(match[1]) * SPAN_SECONDS[match[2]])
    except OverflowError as error:
        raise UsageError(f"the span '{text}' is too long", code="bad-span") from error


def parse_when(text: str, *, now: datetime, zone: tzinfo, end: bool = False) -> datetime:
    """Parse a time as people type it.

    It may be RFC 3339, a date, ``today``, ``tomorrow``, ``yesterday``, ``last week``,
    ``last month``, ``last year``, or a span back from *now*. A date without a time is the start
    of that day in *zone*.

    Args:
        end: Whether the time ends a range; a date then means the end of that day.

    Raises:
        UsageError: If *text* is none of these.
    """
    typed = text.strip().lower()
    try:
        if SPAN.fullmatch(typed):
            return add_span(now, -parse_span(typed))
        today = now.astimezone(zone).date()
        named_days = {
            "today": today,
            "tomorrow": today + timedelta(days=1),
            "yesterday": today - timedelta(days=1),
            "last week": today - timedelta(days=7),
            "last month": today - timedelta(days=30),
            "last year": today - timedelta(days=365),
        }
        day = named_days.get(typed)
        if day is None and re.fullmatch(r"\d{4}-\d\d-\d\d", typed):
            day = date.fromisoformat(typed)
        if day is not None:
            if end:
                return day_start(day + timedelta(days=1), zone) - timedelta(milliseconds=1)
            return day_start(day, zone)
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"'{text}' is not a time: use 2026-05-01T09:30:00Z, a date, 'today',"
            " 'yesterday', 'last week', or a span back from now such as 90m, 7d or 1y",
            code="bad-time",
        ) from error


def add_span(moment: datetime, span: timedelta) -> datetime:
    """Add *span* to *moment*, limited to the calendar."""
    try:
        return min(max(moment.astimezone(UTC) + span, EARLIEST), LATEST)
    except OverflowError:
        return EARLIEST if span < timedelta() else LATEST


def local_day(moment: datetime, zone: tzinfo) -> date:
    return min(max(moment, EARLIEST), LATEST).astimezone(zone).date()


def stored_day(text: str, zone: tzinfo) -> date:
    """Return the day in *zone* of the stored time *text*."""
    return local_day(parse_time(text), zone)


def format_minute(text: str, zone: tzinfo) -> str:
    """Format the stored time *text* in *zone*: ``2026-05-01 09:30``; "" stays ""."""
    if not text:
        return ""
    moment = min(max(parse_time(text), EARLIEST), LATEST)
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def day_start(day: date, zone: tzinfo) -> datetime:
    """Return the time in UTC at which *day* begins in *zone*."""
    day = min(max(day, EARLIEST.date()), LATEST.date())
    return datetime.combine(day, time(), zone).astimezone(UTC)


def get_zone(name: str) -> tzinfo:
    """Return the time zone *name*, such as ``Europe/Berlin``; for "" the system's.

    Raises:
        SettingsError: If there is no such time zone.
    """
    if not name:
        try:
            datetime.now().astimezone()
        except ValueError as error:
            raise SettingsError(
                "the variable TZ is not a time zone",
                code="bad-timezone",
                command="config set timezone Europe/Berlin",
            ) from error
        return SystemZone()
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # only for a named zone: most homes use the system's

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise SettingsError(
            f"there is no time zone '{name}'",
            code="bad-timezone",
            command="config set timezone Europe/Berlin",
        ) from error


class SystemZone(tzinfo):
    """The system's time zone, with its rules for summer time."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        """Return the offset of a local time."""
        if moment is None:
            return timedelta()
        return moment.replace(tzinfo=None).astimezone().utcoffset() or timedelta()

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None: the offset already includes summer time."""
        return None

    def fromutc(self, moment: datetime) -> datetime:
        """Convert *moment*, which is in UTC, to local time."""
        local = moment.replace(tzinfo=UTC).astimezone()
        return local.replace(tzinfo=self)

    def tzname(self, moment: datetime | None) -> str:
        """Return the name of the zone, such as ``CET``."""
        if moment is None:
            return "local"
        return moment.replace(tzinfo=None).astimezone().tzname() or "local"


def format_span(span: timedelta) -> str:
    """Format *span* with its largest unit: ``12 d``, ``3 h``, ``5 min``, ``20 s``."""
    seconds = int(abs(span.total_seconds()))
    if seconds >= 2 * 365 * 86_400:
        return f"{seconds // (365 * 86_400)} y"
    for unit_seconds, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit_seconds:
            return f"{seconds // unit_seconds} {unit}"
    return f"{seconds} s"


def format_age(moment: datetime | str, now: datetime) -> str:
    """Format how long ago *moment* was: ``12 d ago``, ``just now``, ``in 3 h``."""
    then = parse_time(moment) if isinstance(moment, str) else moment
    age = now - then
    if abs(age) < timedelta(minutes=1):
        return "just now"
    return f"in {format_span(age)}" if age < timedelta() else f"{format_span(age)} ago"
