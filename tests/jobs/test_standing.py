"""Which jobs are late, and which fail."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from crewmem.jobs.job import NAMES, planned
from crewmem.jobs.jobs_store import Row
from crewmem.jobs.mark import BUSY, MOST, NOTHING, Mark, every, of_jobs, spelled
from crewmem.jobs.mark import read as spelled_back
from crewmem.jobs.naming import LOCK
from crewmem.jobs.standing import (
    FAILING,
    OVERDUE,
    believed,
    grace,
    last_run,
    standing,
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
    idle = {"sweep": Mark(NOW - timedelta(seconds=20)), "nightly": Mark(NOW)}
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
    assert seen(rows, {"nightly": Mark(NOW)}, {"nightly": read("03:00")}) == []


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
    idle = {name: Mark(NOW - ago) for name, ago in found_nothing.items()}
    for each in standing(rows, idle, whens, NOW, UTC):
        better = standing(
            rows, {**idle, each.job: Mark(NOW + timedelta(seconds=1))}, whens, NOW, UTC
        )
        assert each.job not in [one.job for one in better]


def test_grace_is_longer_than_a_span():
    """Nothing is late before it could have been run twice."""
    assert grace(read("30s")) == timedelta(minutes=10)
    assert grace(read("6h")) == timedelta(hours=6)
    assert grace(read("03:00")) == timedelta(hours=6)
    assert grace(read("sun 04:30")) == timedelta(days=1)


def test_a_run_of_a_clock_that_was_wrong_is_none():
    """Once a job was run after it, a row of the future neither hides nor counts."""
    wrong = row("nightly", -timedelta(days=400), failures=3)
    assert seen([wrong]) == [("nightly", FAILING)]
    assert seen([wrong], {"nightly": Mark(NOW - timedelta(hours=1))}) == []
    long_ago = Mark(NOW - timedelta(days=9))
    assert seen([wrong], {"nightly": long_ago}) == [("nightly", OVERDUE)]
    assert [*believed({"nightly": wrong}, {}, NOW)] == ["nightly"]


def test_what_met_a_locked_database_fails():
    """It is told with how often, beside how often it had failed before."""
    rows = [row("sweep", timedelta(hours=6), failures=3)]
    mark = Mark(NOW - timedelta(seconds=1), BUSY, 2)
    for kept, times in (({}, 2), ({"sweep": rows[0]}, 5)):
        (found,) = standing(kept, {"sweep": mark}, {"sweep": read("30s")}, NOW, UTC)
        assert (found.state, found.failures, found.since) == (FAILING, times, mark.at)
        assert "is locked" in found.reason
    later = {"sweep": row("sweep", timedelta())}
    assert standing(later, {"sweep": mark}, {"sweep": read("30s")}, NOW, UTC) == []


def test_lock_files_are_read(tmp_path):
    """The line in one is all that counts; the future, and what is no line, is none."""
    (tmp_path / "locks").mkdir()
    (tmp_path / f"{LOCK}rollup").mkdir()
    (tmp_path / f"{LOCK}backup").symlink_to(tmp_path / f"{LOCK}sweep")
    mark = Mark(NOW - timedelta(milliseconds=123))
    lines = {
        "sweep": spelled(mark),
        "sweep@lab": spelled(Mark(NOW, BUSY, 3)),
        "nightly": b"",
        "housekeeping": spelled(Mark(NOW + timedelta(milliseconds=1))),
        "condense": b"\xff at some time",
    }
    for name, line in lines.items():
        (tmp_path / f"{LOCK}{name}").write_bytes(line)
    found = every(tmp_path, NOW)
    assert found == {"sweep": mark, "sweep@lab": Mark(NOW, BUSY, 3)}
    assert of_jobs(tmp_path, NAMES, NOW) == {"sweep": mark}
    assert every(tmp_path / "nowhere", NOW) == {}
    assert last_run(None, mark) == mark.at
    assert troubles(tmp_path, {}, Settings(), NOW, UTC) == []


@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, 200_000))
def test_marks_are_read_as_they_were_spelled(at, failures):
    """All are as long, to a millisecond, so that one replaces another whole."""
    at = at.replace(microsecond=at.microsecond // 1_000 * 1_000)
    mark = Mark(at, BUSY if failures else NOTHING, failures)
    line = spelled(mark)
    assert len(line) == len(spelled(Mark(NOW))) <= MOST
    known = spelled_back(line)
    assert known == mark._replace(failures=min(failures, 99_999))
    assert spelled_back(line[:20]) is None


def test_jobs_that_are_off_are_left_out():
    """A setting leaves a job out, and backup is there once it has a place."""
    assert "backup" not in planned(Settings())
    values = {"backup_dir": "/srv", "timers.nightly": "off"}
    assert {*NAMES} - {*planned(Settings(values))} == {"nightly"}
