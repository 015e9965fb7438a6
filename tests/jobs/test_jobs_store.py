"""What is kept of the last run of each job."""

from datetime import UTC, datetime, timedelta

import pytest
from truths import truth

from crewmem.db.connect import connect_memory
from crewmem.errors.jobs import RunUnreadableError
from crewmem.jobs import jobs_store
from crewmem.jobs.jobs_store import Row

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

ROW = Row(
    name="nightly",
    first_start=NOW,
    last_start=NOW,
    last_end=NOW + timedelta(seconds=3),
    result="partial",
    reason="compact: the disk is full",
    counts={"pruned": 3},
    failures=2,
    next_due=NOW + timedelta(hours=17),
)


@pytest.fixture(name="db")
def _db():
    db = truth()
    yield db
    db.close()


def test_what_is_kept_is_read_back(db):
    """A row is read as it was kept."""
    jobs_store.keep(db, ROW)
    off = ROW._replace(name="sweep@lab", next_due=None, reason="")
    jobs_store.keep(db, off)
    assert jobs_store.rows(db) == {"nightly": ROW, "sweep@lab": off}


def test_a_later_run_takes_the_place_of_an_earlier_one(db):
    """There is one row a job; since when it is run stays."""
    jobs_store.keep(db, ROW)
    later = ROW._replace(
        first_start=NOW + timedelta(days=1),
        last_start=NOW + timedelta(days=1),
        result="ok",
        reason="",
        failures=0,
        counts={},
    )
    jobs_store.keep(db, later)
    assert jobs_store.rows(db) == {"nightly": later._replace(first_start=NOW)}


def test_an_older_database_knows_no_jobs():
    """Where the table is not there yet, nothing was kept."""
    with connect_memory() as db:
        assert jobs_store.rows(db) == {}


@pytest.mark.parametrize(
    "change",
    ["last_start = 'yesterday'", "counts = '{'", "counts = '7'", "next_due = 'x'"],
)
def test_a_row_that_cannot_be_read_is_told(db, change):
    """What somebody else has written there is an error that names the job."""
    jobs_store.keep(db, ROW)
    db.execute(f"update jobs set {change}")  # noqa: S608 - of the test
    with pytest.raises(RunUnreadableError, match="cannot be read: nightly"):
        jobs_store.rows(db)
