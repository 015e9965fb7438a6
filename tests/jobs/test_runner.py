"""Running jobs."""

import hashlib
import time
from datetime import UTC, datetime, timedelta

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.errors import LockedError, ServiceError, UsageError
from crewmem.jobs.runner import JobRunner, Outcome, run_minute
from crewmem.journal.reading import EntryFilter
from crewmem.journal.store import Journal
from crewmem.review.store import ReviewStore
from crewmem.storage import locks
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import HOME_SCHEMA, open_database

pytestmark = pytest.mark.both_stores


class World:
    """A home with a clock, and jobs that count their runs."""

    def __init__(self, home):
        self.now = datetime(2026, 5, 1, 0, 0, tzinfo=UTC)
        self.runs = []
        self.outcomes = {}
        open_database(home / "crewmem.db", HOME_SCHEMA, create=True).close()
        self.context = Context(
            home=home,
            workspace="default",
            access=Access(Actor("system", "crewmem"), "default"),
            settings=load_settings(None).replace(timezone="UTC"),
            clock=lambda: self.now,
        )
        self.journal = Journal(self.context, lambda: ReviewStore(self.context))
        actions = {name: self.make_action(name) for name in ("sweep", "extract", "housekeeping")}
        self.runner = JobRunner(self.context, self.journal, actions)

    def make_action(self, name):
        def act(*, dry_run):
            if not dry_run:
                self.runs.append(name)
            outcome = self.outcomes.get(name, Outcome())
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return act

    def entries(self):
        return self.journal.list(EntryFilter(types=["job.completed"])).entries


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.mark.one_store
def test_idle_run_writes_no_byte_to_the_database(world, tmp_path):
    world.runner.run("sweep")
    before = hashlib.sha256((tmp_path / "crewmem.db").read_bytes()).digest()
    world.now += timedelta(minutes=1)

    run = world.runner.run("sweep")

    assert run.result == "nothing-new"
    assert hashlib.sha256((tmp_path / "crewmem.db").read_bytes()).digest() == before
    assert (
        not (tmp_path / "crewmem.db-wal").exists()
        or (tmp_path / "crewmem.db-wal").stat().st_size == 0
    )
    (status, *_) = world.runner.list_status()
    assert (status.last_run, status.result) == ("2026-05-01T00:01:00.000Z", "nothing-new")


def test_idle_runs_of_a_copied_home_keep_their_time(world, tmp_path):
    world.runner.run("sweep")
    for path in (tmp_path / "locks").iterdir():
        path.write_bytes(path.read_bytes())  # as a copy: the same content, another time
    world.context.lock_path("job-default-extract").touch()  # its first run was killed
    world.now = datetime.now(UTC) + timedelta(days=1)

    status = {each.job: each.last_run for each in world.runner.list_status()}

    assert (status["sweep"], status["extract"]) == ("2026-05-01T00:00:00.000Z", "")


def test_run_that_did_something_has_a_row_and_an_entry(world):
    world.outcomes["extract"] = Outcome(counts={"facts": 3})
    run = world.runner.run("extract")
    assert (run.result, run.counts, run.next_due) == (
        "ok",
        {"facts": 3},
        "2026-05-01T00:05:00.000Z",
    )
    assert [entry.payload for entry in world.entries()] == [
        {"job": "extract", "result": "ok", "counts": {"facts": 3}}
    ]
    status = {each.job: each for each in world.runner.list_status()}["extract"]
    assert (status.result, status.counts) == ("ok", {"facts": 3})


def test_failure_is_recorded_counted_and_retried(world):
    world.outcomes["housekeeping"] = ServiceError("no answer", code="x")
    for _ in range(2):
        assert world.runner.run("housekeeping").error == "no answer"
    status = {each.job: each for each in world.runner.list_status()}["housekeeping"]
    assert (status.failures, status.error) == (2, "no answer")
    assert status.next_due == "2026-05-01T00:30:00.000Z"  # hourly, but tried again after 30 minutes
    with_systemd = {each.job: each for each in world.runner.list_status(retries=False)}
    assert with_systemd["housekeeping"].next_due == "2026-05-01T01:00:00.000Z"
    assert world.entries()[0].severity == "warn"
    world.now += timedelta(minutes=31)
    world.outcomes.clear()
    assert "housekeeping" in [run.job for run in world.runner.run_due()]
    assert {each.job: each for each in world.runner.list_status()}["housekeeping"].failures == 0


def test_run_of_a_clock_that_was_ahead_does_not_count(world):
    world.now += timedelta(days=365)
    world.outcomes["housekeeping"] = Outcome(counts={"facts": 1})
    world.runner.run("housekeeping")
    world.outcomes.clear()
    world.now -= timedelta(days=365)

    for _ in range(3):
        world.runner.run_due(without=["sweep", "extract"])
        world.now += timedelta(minutes=1)

    assert world.runs == ["housekeeping", "housekeeping"]
    status = {each.job: each for each in world.runner.list_status()}["housekeeping"]
    assert (status.last_run, status.next_due) == (
        "2026-05-01T00:00:00.000Z",
        "2026-05-01T01:00:00.000Z",
    )


def test_second_run_at_once_ends_and_says_so(world):
    with lock(world.context.lock_path("job-default-sweep")):
        assert world.runner.run("sweep").result == "skipped-locked"
    assert world.runs == []


def test_locked_database_is_waited_for_once(world):
    world.outcomes["sweep"] = LockedError("it is locked", code="database-locked")
    with pytest.raises(LockedError):
        run_minute([world.runner], report=lambda run: None)
    assert world.runs == ["sweep"]


def test_dry_run_of_what_is_due_leaves_out_what_is_not(world):
    world.runner.run("extract")
    runs = []
    run_minute([world.runner], report=runs.append, sweeps_again=False, dry_run=True)
    assert [run.job for run in runs] == ["sweep", "housekeeping"]


def test_dry_run_changes_nothing(world):
    world.outcomes["extract"] = Outcome(plan=["3 facts"])
    run = world.runner.run("extract", dry_run=True)
    assert (run.result, run.plan, world.runs) == ("planned", ("3 facts",), [])
    assert world.runner.list_status()[1].last_run == ""


def test_jobs_of_an_hour_run_as_often_as_their_intervals_say(world, monkeypatch):
    """Once a minute for an hour: 120 sweeps, 12 extracts, one housekeeping."""
    clock = [0.0]

    def sleep(seconds):
        clock[0] += seconds
        world.now += timedelta(seconds=seconds)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    for minute in range(60):
        world.now = datetime(2026, 5, 1, 0, minute, tzinfo=UTC)
        clock[0] = 0.0
        run_minute([world.runner], report=lambda run: None)
    assert [world.runs.count(job) for job in ("sweep", "extract", "housekeeping")] == [120, 12, 1]
    assert world.entries() == []


def test_minute_of_a_person_who_waits_has_one_sweep(world):
    run_minute([world.runner], report=lambda run: None, sweeps_again=False)
    assert world.runs.count("sweep") == 1


def test_unknown_and_unconfigured_jobs_are_named(world):
    with pytest.raises(UsageError, match="did you mean 'sweep'"):
        world.runner.run("sweeep")
    with pytest.raises(UsageError, match=r"needs the setting backup_dir"):
        world.runner.run("backup")


def test_long_waiting_process_tries_more_often_than_a_newcomer(monkeypatch):
    now, pauses = [0.0], []

    def sleep(seconds):
        pauses.append((now[0], seconds))
        now[0] += seconds

    monkeypatch.setattr(locks.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(locks.time, "sleep", sleep)
    backoff = locks.Backoff("a file", 30)
    while backoff.pause():
        pass

    newcomer = [seconds for at, seconds in pauses if at < locks.URGENT_AFTER]
    late = [seconds for at, seconds in pauses if at >= locks.URGENT_AFTER]
    assert max(late[1:]) < max(newcomer) / 10
    assert len(newcomer) < 200
    assert now[0] == pytest.approx(30, abs=0.1)
