"""When jobs are due."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.jobs.schedule import (
    following,
    is_due,
    is_due_again,
    latest,
    next_due,
)
from crewmem.settings.whens import When, read

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",  # clocks change at midnight
    "Australia/Lord_Howe",  # by half an hour
    "Asia/Kathmandu",  # 5:45 ahead
    "Pacific/Apia",  # skipped a whole day
    "Africa/Casablanca",  # goes back for a month
)

instants = st.datetimes(
    min_value=datetime(2009, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2027, 1, 1),  # noqa: DTZ001 - as above
    timezones=st.just(UTC),
)
zones = st.sampled_from(ZONES).map(ZoneInfo)
spans = st.sampled_from(["10s", "30s", "5m", "1h", "90m", "6h", "1d"]).map(read)
daily = st.integers(0, 1_439).map(lambda minute: When(minute=minute))
weekly = st.builds(lambda m, d: When(0, m, d), st.integers(0, 1_439), st.integers(0, 6))
whens = spans | daily | weekly

SKIPPED = datetime(2011, 12, 30, 12, tzinfo=UTC)  # Apia's 30th never was


def days_between(start, end, zone):
    """Return the dates that *zone* has from one instant to the other, in order."""
    found, now = [], start
    while now <= end:
        day = now.astimezone(zone).date()
        if not found or day > found[-1]:
            found.append(day)
        now += timedelta(hours=1)
    return found


@settings(max_examples=40, deadline=None)
@given(instants | st.just(SKIPPED), zones, daily, st.integers(7, 59))
def test_a_daily_job_is_due_once_a_day(start, zone, when, minutes):
    """Whoever asks every few minutes runs a daily job once on each day there is."""
    start -= timedelta(days=2)
    end = start + timedelta(days=4)
    last, ran = start, []
    now = start
    while now <= end:
        if is_due(when, last, now, zone):
            last = now
            ran.append(latest(when, now, zone))
        now += timedelta(minutes=minutes)
    assert len({*ran}) == len(ran)
    dates = [each.astimezone(zone).date() for each in ran]
    assert len({*dates}) == len(dates)
    whole = days_between(start, end, zone)[1:-1]
    assert {*whole} <= {*dates}


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_has_its_days(zone):
    """In every zone a daily job is due 365 times in a year, and at its time."""
    zone, when = ZoneInfo(zone), When(minute=150)
    now = datetime(2025, 1, 1, tzinfo=zone).astimezone(UTC) - timedelta(seconds=1)
    found = []
    while len(found) < 366:
        now = following(when, now, zone)
        found.append(now.astimezone(zone))
    assert [each.year for each in found].count(2025) == 365
    assert len({each.date() for each in found}) == 366
    assert all((each.hour, each.minute) in {(2, 30), (3, 30), (3, 0)} for each in found)


@settings(max_examples=200, deadline=None)
@given(whens, instants, zones, st.none() | st.timedeltas(timedelta(), timedelta(40)))
def test_what_is_due_is_due_once(when, now, zone, ago):
    """What was run just now is not due, and what is due next is due at that time."""
    last = None if ago is None else now - ago
    before, after = latest(when, now, zone), following(when, now, zone)
    assert before <= now < after
    assert not is_due(when, now, now, zone)
    assert is_due(when, last, now, zone) == (last is None or last < before)
    due = next_due(when, last, now, zone)
    assert due >= now
    assert is_due(when, last, due, zone)
    assert not is_due(when, now, max(now, after - timedelta(milliseconds=1)), zone)
    assert is_due(when, now, after, zone)


@given(spans, instants, zones)
def test_spans_go_evenly_into_days(when, now, zone):
    """What comes every so often comes at the same times of each day, in UTC."""
    before = latest(when, now, zone)
    day = before.replace(hour=0, minute=0, second=0, microsecond=0)
    assert (before - day) % timedelta(seconds=when.seconds) == timedelta()
    assert following(when, now, zone) - before == timedelta(seconds=when.seconds)


@given(whens, instants, zones)
def test_a_run_in_the_future_is_none(when, now, zone):
    """Where the clock was wrong when a job was run, it is run again."""
    assert is_due(when, now + timedelta(seconds=1), now, zone)


@given(
    whens,
    st.sampled_from(
        [
            datetime.min.replace(tzinfo=UTC),
            datetime.max.replace(tzinfo=UTC),
            datetime(1, 1, 1, 5, tzinfo=UTC),
            datetime(9999, 12, 31, 5, tzinfo=UTC),
        ]
    ),
    zones | st.just(timezone(timedelta(hours=-12))),
)
def test_the_ends_of_time_are_no_failure(when, now, zone):
    """Whatever a clock says, there is an answer."""
    is_due(when, None, now, zone)
    is_due(when, now, now, zone)
    next_due(when, now, now, zone)


def test_clocks_that_change():
    """A time that a day skips is as much later; of two the first counts."""
    berlin, when = ZoneInfo("Europe/Berlin"), When(minute=150)
    spring = datetime(2026, 3, 29, tzinfo=UTC)
    assert following(when, spring, berlin) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    autumn = datetime(2026, 10, 25, tzinfo=UTC)
    first = following(when, autumn, berlin)
    assert first == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert not is_due(when, first, datetime(2026, 10, 25, 1, 30, tzinfo=UTC), berlin)


def test_what_failed_is_tried_again_less_and_less_often():
    """A job that failed is due again after a quarter of an hour, then after more."""
    at = datetime(2026, 5, 1, tzinfo=UTC)

    def pause(failures):
        minutes = range(0, 2_000, 5)
        later = (at + timedelta(minutes=each) for each in minutes)
        return next(
            (each - at).total_seconds() / 60
            for each in later
            if is_due_again(at, failures, each)
        )

    assert [pause(each) for each in (1, 2, 3, 4, 9, 500)] == [15, 30, 60, 120, 360, 360]
