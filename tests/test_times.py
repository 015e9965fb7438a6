"""Instants, days and spans as text."""

import os
import time
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crewmem import times
from crewmem.errors.values import BadTimeError, BadZoneError

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
MILLISECOND = timedelta(milliseconds=1)

ZONES = [
    "America/New_York",
    "America/Sao_Paulo",  # its days began at 01:00 when the clocks went forward
    "America/Havana",  # midnight comes twice when they go back
    "America/St_Johns",  # at a minute past midnight
    "Asia/Kathmandu",
    "Australia/Lord_Howe",  # by half an hour
    "Europe/Berlin",
    "Pacific/Apia",  # had no 30th of December in 2011
]

modern = st.builds(
    datetime.fromtimestamp,
    st.integers(860_000_000, 2_140_000_000),  # 1997 to 2037
    st.sampled_from(ZONES).map(ZoneInfo),
)
instants = st.datetimes(timezones=st.just(UTC)) | modern


@pytest.fixture(name="system")
def _system(monkeypatch):
    def set_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


@given(instants)
def test_what_is_written_reads_back(instant):
    """What is written reads back, to the millisecond, typed or stored."""
    text = times.to_text(instant)
    utc = instant.astimezone(UTC)
    cut = timedelta(microseconds=utc.microsecond % 1000)
    assert times.from_text(text) == utc - cut
    assert times.read(text, now=NOW, zone=BERLIN) == times.from_text(text)


@given(instants, instants)
@example(datetime(999, 1, 1, tzinfo=UTC), datetime(1000, 1, 1, tzinfo=UTC))
def test_text_order_is_time_order(one, other):
    """Of two instants the earlier is written as the text that sorts first."""
    earlier, later = sorted([one.astimezone(UTC), other.astimezone(UTC)])
    assert times.to_text(earlier) <= times.to_text(later)
    assert len(times.to_text(earlier)) == len("2026-05-01T09:30:00.000Z")


def test_an_instant_is_written_in_utc():
    """Instants are written in UTC with milliseconds, whatever zone they are in."""
    instant = datetime(2026, 5, 1, 11, 30, 0, 123_999, BERLIN)
    assert times.to_text(instant) == "2026-05-01T09:30:00.123Z"


def test_a_stored_instant_without_offset_is_utc(system):
    """What is stored means the same on every machine."""
    system("America/New_York")
    assert times.from_text("2026-05-01T09:30:00") == NOW


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "0001-01-01T00:00+01:00"])
def test_what_is_no_stored_instant(text):
    """Text that is no instant is an error that names what is wanted."""
    with pytest.raises(BadTimeError, match="is not an instant such as 2026"):
        times.from_text(text)


@pytest.mark.parametrize(
    ("typed", "instant"),
    [
        ("90m", "2026-05-01T08:00:00.000Z"),
        ("30s", "2026-05-01T09:29:30.000Z"),
        ("24h", "2026-04-30T09:30:00.000Z"),
        ("7d", "2026-04-24T09:30:00.000Z"),
        ("2w", "2026-04-17T09:30:00.000Z"),
        ("0d", "2026-05-01T09:30:00.000Z"),
        (" 7d\n", "2026-04-24T09:30:00.000Z"),
        ("2026-05-01", "2026-04-30T22:00:00.000Z"),
        ("2026-01-01", "2025-12-31T23:00:00.000Z"),
        ("2024-02-29", "2024-02-28T23:00:00.000Z"),
        ("2026-05-01T12:00", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01 12:00:30", "2026-05-01T10:00:30.000Z"),
        ("2026-05-01T12:00:00Z", "2026-05-01T12:00:00.000Z"),
        ("2026-05-01t12:00:00z", "2026-05-01T12:00:00.000Z"),
        ("2026-05-01T12:00:00.5-04:00", "2026-05-01T16:00:00.500Z"),
        ("2026-05-01T12:00:00.123456789+00:00", "2026-05-01T12:00:00.123Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("9999-12-31", "9999-12-30T23:00:00.000Z"),
    ],
)
def test_what_people_type_for_a_time(typed, instant):
    """RFC 3339, dates, and spans back from now are times, in the zone of days."""
    assert times.to_text(times.read(typed, now=NOW, zone=BERLIN)) == instant


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "d",
        "7",
        "-7d",
        "1.5h",
        "7 d",
        "7x",
        "\u0667d",
        "9" * 5_000 + "d",
        "yesterday",
        "20260501",
        "2026-W18-5",
        "2026-02-29",
        "2026-5-1",
        "2026-05-01T",
        "2026-05-01x12:00",
        "2026-05-01T25:00",
        "2026-05-01T12:00:00+25:00",
        "2026-05-01T12:00:60Z",
        "\u0662026-05-01",
        "0000-01-01",
        "10000-01-01",
        "\x00",
        "\ud800",
    ],
)
def test_what_is_no_time(typed):
    """Anything else is an error that shows how to write one."""
    with pytest.raises(BadTimeError, match="is not a time such as 2026-05-01T09:30"):
        times.read(typed, now=NOW, zone=BERLIN)


@pytest.mark.parametrize(
    "typed",
    [
        "0001-01-01",
        "0001-01-01T00:30:00+01:00",
        "9999-12-31T23:30:00-01:00",
        "3000w",
        "999999w",
        "9" * 30 + "d",
    ],
)
@pytest.mark.parametrize("zone", ["Asia/Kathmandu", ""])
def test_times_outside_the_calendar(system, typed, zone):
    """A time that would fall before the year 1 or after 9999 is an error."""
    system("Asia/Kathmandu")
    now = datetime(50, 1, 1, tzinfo=UTC)
    with pytest.raises(BadTimeError, match="is not within the years 1 to 9999"):
        times.read(typed, now=now, zone=times.zone(zone))


@given(
    st.text()
    | st.text("0123456789-:TZ+. smhdw", max_size=40)
    | st.builds("{}{}".format, st.integers(0), st.sampled_from("smhdw"))
    | st.datetimes().map(str)
    | st.dates().map(str),
    st.sampled_from(["", "UTC", *ZONES]),
    instants,
)
def test_whatever_is_typed_is_a_time_or_an_error(typed, zone, now):
    """Whatever is typed, the answer is an instant in UTC or an error, never a crash."""
    try:
        instant = times.read(typed, now=now, zone=times.zone(zone))
    except BadTimeError:
        return
    assert instant.utcoffset() == timedelta()
    assert times.day(instant, times.zone(zone))
    assert times.ago(instant, now)


@given(
    st.dates(date(1971, 1, 1), date(2037, 12, 1)),
    st.sampled_from(["UTC", *ZONES]).map(times.zone),
)
@example(date(2018, 11, 4), ZoneInfo("America/Sao_Paulo"))
@example(date(2011, 12, 30), ZoneInfo("Pacific/Apia"))
@example(date(2025, 11, 2), ZoneInfo("America/Havana"))
@example(date(2005, 10, 30), ZoneInfo("America/St_Johns"))
def test_a_date_is_the_first_instant_of_its_day(day, zone):
    """A date that is typed means the first instant of that day in the zone."""
    start = times.read(f"{day}", now=NOW, zone=zone)
    assert times.day(start, zone) >= day
    assert times.day(start - MILLISECOND, zone) < day


@given(modern)
@example(datetime(2026, 10, 25, 0, 30, tzinfo=UTC))  # 02:30 in Berlin the first time
@example(datetime(2026, 10, 25, 1, 30, tzinfo=UTC))  # and the second
@example(datetime(2026, 3, 29, 1, 0, tzinfo=UTC))  # when 02:00 becomes 03:00
def test_the_system_zone_is_right_all_year(instant):
    """The system's zone agrees with the database, in summer as in winter."""
    os.environ["TZ"] = "CET-1CEST,M3.5.0,M10.5.0/3"  # what the EU does since 1996
    time.tzset()
    try:
        here, there = instant.astimezone(times.zone("")), instant.astimezone(BERLIN)
        assert here.replace(tzinfo=None) == there.replace(tzinfo=None)
        assert here.fold == there.fold
        assert here.utcoffset() == there.utcoffset()
        assert here.tzname() == there.tzname()
        assert here.astimezone(UTC) == instant.astimezone(UTC)
    finally:
        del os.environ["TZ"]
        time.tzset()


def test_an_empty_name_is_the_system_zone(system):
    """Without a setting, days are of the zone that the system is in."""
    system("Asia/Tokyo")
    assert times.day(NOW + timedelta(hours=8), times.zone("")) == date(2026, 5, 2)
    assert times.zone("UTC") is UTC  # also where there is no database
    assert times.zone("").utcoffset(None) is None
    assert times.zone("").tzname(None) is None


@pytest.mark.parametrize(
    "name",
    [
        "Nowhere",
        "Europe",
        "../UTC",
        "/etc/localtime",
        ".",
        "zone.tab",
        "a\0b",
        "\ud800",
    ],
)
def test_a_zone_that_is_not_known(name):
    """A name that the database does not have is an error that repeats it."""
    with pytest.raises(BadZoneError, match="is not a time zone that this system knows"):
        times.zone(name)


@given(st.datetimes(timezones=st.just(UTC)), st.timedeltas(timedelta(0)))
def test_a_span_ends_with_the_calendar(instant, span):
    """Before the first instant and after the last there is none; else spans add up."""
    before, after = times.before(instant, span), times.after(instant, span)
    assert before in {instant - min(span, instant - times.FIRST), times.FIRST}
    assert after in {instant + min(span, times.LAST - instant), times.LAST}
    assert times.FIRST <= before <= instant <= after <= times.LAST


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC", ""])
def test_every_instant_has_a_day(system, zone):
    """At the ends of the calendar, a day is that of UTC."""
    system("Asia/Tokyo" if zone != "America/New_York" else zone)
    last = datetime.max.replace(tzinfo=UTC)
    first = datetime.min.replace(tzinfo=UTC)
    assert times.day(last, times.zone(zone)) == date.max
    assert times.day(first, times.zone(zone)) == date.min


def test_a_day_is_that_of_the_zone():
    """Late in the evening in Berlin it is still the same day, though not in Tokyo."""
    late = datetime(2026, 5, 1, 21, 59, tzinfo=UTC)
    assert times.day(late, BERLIN) == date(2026, 5, 1)
    assert times.day(late, ZoneInfo("Asia/Tokyo")) == date(2026, 5, 2)


@pytest.mark.parametrize(
    ("back", "age"),
    [
        (timedelta(), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-59), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(hours=23, minutes=59), "23 h ago"),
        (timedelta(days=12), "12 d ago"),
        (timedelta(days=41), "41 d ago"),
        (timedelta(days=729), "729 d ago"),
        (timedelta(days=730), "2 y ago"),
        (timedelta(hours=-3, minutes=-20), "in 3 h"),
        (timedelta(days=-400), "in 400 d"),
    ],
)
def test_an_age_is_told_in_one_unit(back, age):
    """Ages are told in the largest unit that they fill, the future included."""
    assert times.ago(NOW - back, NOW) == age


@given(st.integers(0, 10**6), st.sampled_from("smhdw"))
def test_a_span_is_a_number_of_units(number, unit):
    """A span is a number and a unit."""
    names = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
    assert times.span(f"{number}{unit}") == timedelta(**{names[unit]: number})


@pytest.mark.parametrize("text", ["", "7", "d", "-1d", "1M", "1y", "9" * 20 + "w"])
def test_what_is_no_span(text):
    """Anything else is an error that shows how to write one."""
    with pytest.raises(BadTimeError, match="is not a span such as 30s, 90m, 24h"):
        times.span(text)


def test_a_fixed_offset_is_a_zone_too():
    """Days can be of any zone that Python has."""
    zone = timezone(timedelta(hours=-4))
    assert times.read("2026-05-01", now=NOW, zone=zone).hour == 4
