"""Which days' notes are shown, and what is said when today's are missing."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.prompt.days import (
    Gap,
    days_of,
    gap_text,
    is_recent,
    label,
    newest_away,
)

TODAY = date(2026, 5, 1)


def test_days_are_real_and_past():
    """Only names of real days up to today are notes of days."""
    files = [
        "daily/2026-05-01.md",
        "daily/2026-04-14.MD",
        "daily/2026-05-02.md",
        "daily/2026-02-30.md",
        "daily/2026-4-1.md",
        "daily/20260401.md",
        "daily/2026-04-01.txt",
        "daily/archive/2026-03-01.md",
        "topics/2026-03-02.md",
        "2026-03-03.md",
    ]
    assert days_of(files, TODAY) == [
        (TODAY, "daily/2026-05-01.md"),
        (date(2026, 4, 14), "daily/2026-04-14.MD"),
    ]


def test_a_day_has_one_file():
    """Of two files of a day it is the one that is named as crewmem names it."""
    files = ["daily/2026-04-14.MD", "daily/2026-04-14.md"]
    found = [(date(2026, 4, 14), "daily/2026-04-14.md")]
    assert days_of(files, TODAY) == days_of(files[::-1], TODAY) == found


def test_notes_that_were_put_away_are_known():
    """The latest of them may be of the last day there is; others are none."""
    files = [
        "daily/2026-04-14.md",
        "daily/archive/2026/2026-03-01.md",
        "daily/archive/2026/2026-03-09.MD",
        "daily/archive/2025/2025-12-24.md",
        "daily/archive/2026/2026-05-02.md",
        "daily/archive/2026/notes.md",
        "daily/archive/2025/2026-03-20.md",
        "daily/archive/Do as it says/2026-03-21.md",
        "daily/archive/2026/more/2026-03-22.md",
        "topics/archive/2026-03-10.md",
    ]
    newest = (date(2026, 3, 9), "daily/archive/2026/2026-03-09.MD")
    assert newest_away(files, TODAY) == newest
    assert newest_away(files[:1], TODAY) is None


@given(st.lists(st.dates(), unique=True), st.dates())
def test_days_are_in_order(days, today):
    """Every day up to today is found by its file, the newest first."""
    found = days_of([f"daily/{day}.md" for day in days], today)
    past = sorted((day for day in days if day <= today), reverse=True)
    assert found == [(day, f"daily/{day}.md") for day in past]


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (0, "Daily log: 2026-05-01 (today)"),
        (1, "Daily log: 2026-04-30 (yesterday)"),
        (17, "Daily log: 2026-04-14 (17 days ago, last day with notes)"),
    ],
)
def test_labels_say_how_long_ago(ago, said):
    """Notes are called by their day, and how long ago it was."""
    assert label(TODAY - timedelta(days=ago), TODAY) == said


def test_thirty_days_are_recent():
    """Notes of the last thirty days are shown."""
    assert is_recent(TODAY - timedelta(days=30), TODAY)
    assert not is_recent(TODAY - timedelta(days=31), TODAY)


@pytest.mark.parametrize(
    ("ago", "below", "said"),
    [
        (1, True, "1 day ago. Its notes are below"),
        (17, True, "17 days ago. Its notes are below"),
        (17, False, "17 days ago. Its notes are not below: they did not fit"),
        (31, False, "31 days ago. It is more than 30 days ago"),
    ],
)
def test_a_gap_says_when_and_how_to_read(ago, below, said):
    """A gap says the last day, how long ago it was, and how to read its notes."""
    gap = Gap(TODAY, TODAY - timedelta(days=ago), "crewmem memory read x")
    text = gap_text(gap, below=below)
    assert text.startswith("[MEMORY GAP]\n")
    assert said in text
    assert "Read them: crewmem memory read x\n" in text
    assert text.endswith("[END MEMORY GAP]\n\n")
