"""When jobs are due."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from crewmem.config import load_settings
from crewmem.jobs.schedule import JOBS, Schedule, is_due, last_due, list_jobs, next_due

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 1, 9, 30, 7, tzinfo=UTC)


def test_intervals_are_counted_from_midnight():
    every = Schedule(every=timedelta(hours=6))
    assert last_due(every, NOW, UTC) == datetime(2026, 5, 1, 6, tzinfo=UTC)
    assert next_due(every, NOW, UTC) == datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_times_of_day_are_local():
    nightly = Schedule(minute=180)
    assert last_due(nightly, NOW, BERLIN) == datetime(2026, 5, 1, 1, tzinfo=UTC)
    assert next_due(nightly, NOW, BERLIN) == datetime(2026, 5, 2, 1, tzinfo=UTC)
    weekly = Schedule(minute=300, weekday=6)
    assert next_due(weekly, NOW, UTC) == datetime(2026, 5, 3, 5, tzinfo=UTC)
    assert last_due(weekly, NOW, UTC) == datetime(2026, 4, 26, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "day", [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)]
)
def test_time_of_day_comes_once_when_clocks_change(day):
    schedule = Schedule(minute=150)  # 02:30, skipped in March and repeated in October
    found = {last_due(schedule, day + timedelta(minutes=10 * n), BERLIN) for n in range(144)}
    assert len(found) == 2
    first, second = sorted(found)
    assert timedelta(hours=22) < second - first < timedelta(hours=26)


def test_missed_job_is_due_once():
    nightly = Schedule(minute=180)
    week_ago = NOW - timedelta(days=7)
    assert is_due(nightly, NOW, UTC, last=week_ago)
    assert not is_due(nightly, NOW, UTC, last=NOW - timedelta(hours=1))
    assert is_due(nightly, NOW, UTC, last=None)


def test_failed_job_is_tried_again_with_growing_pauses():
    nightly = Schedule(minute=180)
    last = NOW - timedelta(minutes=20)
    assert is_due(nightly, NOW, UTC, last=last, failures=1)
    assert not is_due(nightly, NOW, UTC, last=last, failures=2)


def test_jobs_whose_part_is_missing_are_left_out():
    names = [job.name for job in list_jobs(load_settings(None))]
    assert names == [n for n in JOBS if n not in ("eval", "tune", "backup")]
    settings = load_settings(None, overrides={"eval.suite": "x", "backup_dir": "/b"})
    assert [job.name for job in list_jobs(settings)] == list(JOBS)
