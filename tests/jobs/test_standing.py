"""Which jobs are late, and which fail."""

import os
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from crewmem.jobs.job import NAMES, planned
from crewmem.jobs.jobs_store import Row
from crewmem.jobs.standing import (
    FAILING,
    LOCK,
    OVERDUE,
    grace,
    last_run,
    standing,
    touched,
    troubles,
)
from crewmem.settings import Settings
from crewmem.settings.whens import read

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
WHENS = {"sweep": read("30s"), "nightly": read("03:00"), "backup": read("fri 04:30")}


def row(name, ago, *, failures=0, **rest):
    at = NOW - ago
    values = {
        "name": name,
        "first_start": at,
        "last_start": at,
        "last_end": at,
        "result": "failed" if failures else "ok",
        "reason": "the disk is full" if failures else "",
        "counts": {},
        "failures": failures,
        "next_due": None,
    }
    return Row(**(values | rest))


def seen(rows=(), idle=None, whens=WHENS, now=NOW, **more):
    named = {each.name: each for each in rows}
    found = standing(named, idle or {}, whens, now, UTC, **more)
    return [(each.job, each.state) for each in found]


def test_a_home_without_timers_is_not_late():
    """Where no job was ever run, none is overdue: nobody has installed timers."""
    assert seen() == []


def test_what_runs_is_fine():
    """A job that was run since it was due is neither late nor failing."""
    rows = [row("sweep", timedelta(seconds=40)), row("nightly", timedelta(hours=6))]
    assert seen(rows) == []


def test_what_was_missed_is_overdue():
    """A job that was not run for long after it was due is overdue, and says since."""
    rows = [row("sweep", timedelta(minutes=12)), row("nightly", timedelta(hours=31))]
    found = standing({each.name: each for each in rows}, {}, WHENS, NOW, UTC)
    assert [(each.job, each.state) for each in found] == [
        ("sweep", OVERDUE),
        ("nightly", OVERDUE),
    ]
    assert found[1].since == datetime(2026, 5, 1, 3, tzinfo=UTC)


def test_a_run_that_found_nothing_counts():
    """The lock file tells of runs that left nothing else."""
    rows = [row("sweep", timedelta(days=3))]
    assert ("sweep", OVERDUE) in seen(rows)
    idle = {"sweep": NOW - timedelta(seconds=20), "nightly": NOW}
    assert ("sweep", OVERDUE) not in seen(rows, idle)


def test_what_was_never_run_is_told_of_once_others_were():
    """A job that was never run is overdue by when the first job was."""
    rows = [row("sweep", timedelta(seconds=5), first_start=NOW - timedelta(days=2))]
    assert seen(rows) == [("nightly", OVERDUE)]
    young = [row("sweep", timedelta(seconds=5))]
    assert seen(young) == []


def test_what_fails_is_told():
    """A job whose last run failed is failing, until one found nothing or succeeded."""
    rows = [row("nightly", timedelta(hours=6), failures=3)]
    (found,) = standing({"nightly": rows[0]}, {}, {"nightly": read("03:00")}, NOW, UTC)
    assert (found.state, found.failures) == (FAILING, 3)
    assert "3 times in a row" in found.reason
    assert "the disk is full" in found.reason
    assert seen(rows, {"nightly": NOW}, {"nightly": read("03:00")}) == []


def test_jobs_of_one_workspace_are_apart():
    """Jobs that look after one workspace are kept under its name."""
    rows = [row("sweep@lab", timedelta(hours=2))]
    assert seen(rows) == []
    assert seen(rows, workspace="lab") == [("sweep", OVERDUE)]


@given(
    st.dictionaries(st.sampled_from(NAMES), st.timedeltas(timedelta(), timedelta(60))),
    st.dictionaries(st.sampled_from(NAMES), st.timedeltas(timedelta(), timedelta(60))),
)
def test_a_later_run_never_makes_it_worse(started, found_nothing):
    """Whatever is kept, a job that has just found nothing is not told of."""
    whens = planned(Settings({"backup_dir": "/srv"}))
    rows = {name: row(name, ago, failures=1) for name, ago in started.items()}
    idle = {name: NOW - ago for name, ago in found_nothing.items()}
    for each in standing(rows, idle, whens, NOW, UTC):
        better = standing(
            rows, {**idle, each.job: NOW + timedelta(seconds=1)}, whens, NOW, UTC
        )
        assert each.job not in [one.job for one in better]


def test_grace_is_longer_than_a_span():
    """Nothing is late before it could have been run twice."""
    assert grace(read("30s")) == timedelta(minutes=10)
    assert grace(read("6h")) == timedelta(hours=6)
    assert grace(read("03:00")) == timedelta(hours=6)
    assert grace(read("sun 04:30")) == timedelta(days=1)


def test_lock_files_are_read(tmp_path):
    """A lock file tells when its job found nothing; one of 1970 that it never did."""
    (tmp_path / "locks").mkdir()
    for name, at in (("sweep", 1_777_627_800_123), ("nightly", 0)):
        path = tmp_path / f"{LOCK}{name}"
        path.touch()
        os.utime(path, ns=(at * 1_000_000, at * 1_000_000))
    found = touched(tmp_path, ["sweep", "nightly", "rollup"])
    assert found == {"sweep": datetime(2026, 5, 1, 9, 30, 0, 123_000, tzinfo=UTC)}
    assert last_run(None, found["sweep"]) == found["sweep"]
    assert troubles(tmp_path, {}, Settings(), NOW, UTC) == []


def test_jobs_that_are_off_are_left_out():
    """A setting leaves a job out, and backup is there once it has a place."""
    assert "backup" not in planned(Settings())
    values = {"backup_dir": "/srv", "timers.nightly": "off"}
    assert {*NAMES} - {*planned(Settings(values))} == {"nightly"}
