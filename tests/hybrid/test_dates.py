"""Dates that a question names."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.dates import Asked, asks_when, closeness, dates_in, tells_when

TODAY = date(2026, 5, 1)  # a Friday


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What did she paint on October 13, 2023?", Asked(2023, 10, 13)),
        ("Who came on 3 May, 2023?", Asked(2023, 5, 3)),
        ("Who came on the 3rd of May 2023?", Asked(2023, 5, 3)),
        ("a book on 8th December, 2023", Asked(2023, 12, 8)),
        ("taken on December 1,2023", Asked(2023, 12, 1)),
        ("when they met on Aug 15th", Asked(None, 8, 15)),
        ("deployed Sept. 4", Asked(None, 9, 4)),
        ("camping in June", Asked(None, 6)),
        ("JUNE was hot", Asked(None, 6)),
        ("what happened in may", Asked(None, 5)),
        ("since March", Asked(None, 3)),
        ("in August of 2023", Asked(2023, 8)),
        ("the release of 2026-04-14", Asked(2026, 4, 14)),
        ("costs of 2026-04", Asked(2026, 4)),
        ("the plan for 2023", Asked(2023)),
    ],
)
def test_dates_are_read_as_people_write_them(text, asked):
    """Months with days and years in any usual order, ISO 8601, and years."""
    assert dates_in(text) == (asked,)


@pytest.mark.parametrize(
    "text",
    [
        "may I march on",
        "a sec, dec the counter and mar the paint",
        "version 1.2023",
        "$2000 and 2000% more",
        "on 2026-14-01",
        "on 45 May",
        "ids like abc-2023-05-01-x",
        "yesterday",
        "",
    ],
)
def test_what_is_no_date_is_none(text):
    """Verbs, versions, amounts and days that no month has are no dates."""
    assert dates_in(text) == ()


def test_relative_days_count_from_today():
    """Only words that mean one day, week, month or year are read."""
    assert dates_in("what broke yesterday", TODAY) == (Asked(2026, 4, 30),)
    assert dates_in("what broke today", TODAY) == (Asked(2026, 5, 1),)
    assert dates_in("last week", TODAY) == (Asked(2026, 4, 20, 7),)
    assert dates_in("this week", TODAY) == (Asked(2026, 4, 27, 7),)
    assert dates_in("last month", TODAY) == (Asked(2026, 4),)
    assert dates_in("last year", TODAY) == (Asked(2025),)
    assert dates_in("recently, the other day", TODAY) == ()
    assert dates_in("last month", date(2026, 1, 31)) == (Asked(2025, 12),)


def test_several_dates_are_all_asked_for():
    """A month is not read a second time as part of another date."""
    found = dates_in("between August 11 and August 15 2023, or on 2024-01-02")
    assert set(found) == {
        Asked(None, 8, 11),
        Asked(2023, 8, 15),
        Asked(2024, 1, 2),
    }


def test_the_nearer_the_better():
    """The day itself, soon after, its month, its year, and nothing else."""
    days = ["2023-08-15", "2023-08-20", "2023-08-01", "2023-07-15", "2022-08-15"]
    asked = [Asked(2023, 8, 15)]
    assert [closeness(asked, day) for day in days] == [1.0, 0.5, 0.25, 0.0, 0.0]
    assert [closeness([Asked(2023, 8)], day) for day in days] == [0.5, 0.5, 0.5, 0, 0]
    assert [closeness([Asked(2023)], day) for day in days] == [0.1] * 4 + [0.0]
    assert closeness([Asked(None, 8, 15)], "2022-08-15T10:00:00.000Z") == 1.0
    assert closeness([Asked(2026, 4, 20, 7)], "2026-04-26") == 0.5
    assert closeness([Asked(2023, 7, 31)], "2023-08-02") == 0.5


@given(st.text(max_size=40), st.text(max_size=12))
def test_no_text_is_too_strange(text, at):
    """Whatever is asked and whatever is stored, the answer is within [0, 1]."""
    dates = [*dates_in(text, TODAY), Asked(2023, 2, 31)]
    assert 0.0 <= closeness(dates, at) <= 1.0
    assert 0.0 <= closeness(dates, "2023-03-03") <= 1.0


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_answers_to_its_own_name(day):
    """However it is spelled, it is found."""
    for spelled in (
        day.isoformat(),
        f"{day:%d %B %Y}",
        f"{day:%b} {day.day}, {day.year}",
    ):
        (asked,) = dates_in(f"What happened on {spelled}?")
        assert closeness([asked], day.isoformat()) == 1.0


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When did the crane break?", True),
        ("what day was the pump changed", True),
        ("Which month had the most alarms?", True),
        ("how long ago was that", True),
        ("Who broke the crane?", False),
        ("whenever it broke", False),
        ("what did we do that day", False),
        ("", False),
    ],
)
def test_a_time_is_asked_for(text, asks):
    """By the words with which people ask for one."""
    assert asks_when(text) is asks


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("It broke yesterday.", True),
        ("we met last Friday", True),
        ("two weeks ago", True),
        ("Next month I shall", True),
        ("since 2019", True),
        ("in OCTOBER", True),
        ("It broke.", False),
        ("12019 of them", False),
        ("a sundayish mood", False),
        ("", False),
    ],
)
def test_a_time_is_told(text, tells):
    """As a date, or counted from the day on which it was said."""
    assert tells_when(text) is tells


@pytest.mark.parametrize("today", [date.min, date.max])
def test_relative_dates_at_the_ends_of_the_calendar(today):
    """Whatever the clock says, a question can name the day before."""
    text = "today yesterday this week last week this month last month last year"
    for asked in dates_in(text, today):
        assert 0 <= closeness([asked], "0001-01-01T00:00:00.000Z") <= 1
        assert 0 <= closeness([asked], "9999-12-31T23:59:59.999Z") <= 1
