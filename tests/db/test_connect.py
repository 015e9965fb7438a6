"""Databases that other processes use too, and files that are none."""

import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.db.connect import (
    Mode,
    connect,
    connect_memory,
    explained,
    fetch,
    fetch_one,
    filename,
    transaction,
)
from crewmem.db.where import Where
from crewmem.errors.database import (
    DatabaseBusyError,
    DatabaseDamagedError,
    NotADatabaseError,
)
from crewmem.errors.disk import (
    DiskError,
    NotReadableError,
    NotWritableError,
    PathMissingError,
)


@pytest.fixture(name="path")
def _path(tmp_path):
    """A database with a table of one row."""
    path = tmp_path / "a.sqlite"
    with closing(connect(path, Mode.CREATE)) as db, transaction(db):
        db.execute("create table t (x)")
        db.execute("insert into t values (1)")
    return path


def rows(path):
    with closing(connect(path, Mode.READ)) as db:
        return [x for (x,) in fetch(db, "select x from t order by x")]


def test_a_transaction_is_kept(path):
    """What happened in a transaction is there for the next connection."""
    with closing(connect(path, Mode.WRITE)) as db, transaction(db):
        db.execute("insert into t values (2)")
    assert rows(path) == [1, 2]


@pytest.mark.parametrize("raised", [ZeroDivisionError, KeyboardInterrupt])
def test_nothing_of_a_failed_transaction_stays(path, raised):
    """A transaction is all or nothing, and the connection can go on after it."""
    with closing(connect(path, Mode.WRITE)) as db:
        with pytest.raises(raised), transaction(db):
            db.execute("insert into t values (2)")
            raise raised
        assert not db.in_transaction
        with transaction(db):
            db.execute("insert into t values (3)")
    assert rows(path) == [1, 3]


def test_a_process_that_is_killed_leaves_no_half_change(path, killed):
    """What was not committed is not there."""

    def die_inside():
        db = connect(path, Mode.WRITE)
        db.execute("begin immediate")
        db.execute("insert into t values (2)")

    killed(die_inside)
    assert rows(path) == [1]


def test_a_writer_keeps_others_waiting(path):
    """Who cannot get the write lock in time is told whose lock it is."""
    with (
        closing(connect(path, Mode.WRITE)) as first,
        closing(connect(path, Mode.WRITE, busy_timeout=0.05)) as second,
        transaction(first),
        pytest.raises(DatabaseBusyError, match=r"a\.sqlite is locked") as caught,
        transaction(second),
    ):
        pass
    assert caught.value.path == path
    assert "CREWMEM_BUSY_TIMEOUT" in caught.value.hint


def test_a_waiting_writer_gets_its_turn(path, beside):
    """Everybody who waits for the lock is let in, and no change is lost."""

    def add_ten():
        with closing(connect(path, Mode.WRITE)) as db:
            for _ in range(10):
                with transaction(db):
                    (most,) = fetch_one(db, "select max(x) from t")
                    db.execute("insert into t values (?)", (most + 1,))

    assert beside(add_ten, add_ten, add_ten) == [0, 0, 0]
    assert rows(path) == list(range(1, 32))


def test_foreign_keys_are_held():
    """A row cannot name what is not there."""
    with closing(connect_memory()) as db:
        db.execute("create table a (x primary key)")
        db.execute("create table b (x references a (x))")
        with pytest.raises(apsw.ConstraintError), transaction(db):
            db.execute("insert into b values (1)")


@pytest.mark.parametrize("mode", list(Mode))
def test_other_files_are_not_databases(tmp_path, mode):
    """A file that is something else is named, not overwritten."""
    path = tmp_path / "notes.sqlite"
    path.write_text("# Notes\n" * 200)
    with pytest.raises(NotADatabaseError, match=r"notes\.sqlite is not a SQLite"):
        connect(path, mode)
    assert path.read_text().startswith("# Notes")


def test_a_directory_is_no_database(tmp_path):
    """A directory where a database should be is called what it is."""
    with pytest.raises(NotADatabaseError):
        connect(tmp_path, Mode.READ)


@pytest.mark.parametrize("mode", [each for each in Mode if each is not Mode.CREATE])
def test_only_create_makes_a_database(tmp_path, mode):
    """A database that is not there is missing, and nothing is made."""
    with pytest.raises(PathMissingError):
        connect(tmp_path / "a.sqlite", mode)
    assert list(tmp_path.iterdir()) == []


def test_damage_is_explained(path):
    """A page that is no page is said to be damage, not answered around."""
    with closing(connect(path, Mode.WRITE)) as db, transaction(db):
        db.executemany("insert into t values (?)", [(f"{n:999}",) for n in range(99)])
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size - size // 2))
    with closing(connect(path, Mode.READ)) as db, pytest.raises(DatabaseDamagedError):
        fetch(db, "select x from t order by x")


def test_a_full_disk_is_explained(path):
    """A change that does not fit is undone, and the disk is named."""
    with closing(connect(path, Mode.WRITE)) as db:
        db.execute("pragma max_page_count = 3").fetchall()
        with (
            pytest.raises(DiskError, match="the disk is full"),
            transaction(db),
        ):
            db.execute("insert into t values (zeroblob(1000000))")
    assert rows(path) == [1]


def test_who_may_not_read_is_told_so(reachable, nobody):
    """Permissions that are missing are named."""
    path = reachable / "a.sqlite"
    connect(path, Mode.CREATE).close()
    path.touch(mode=0o600)
    path.chmod(0o000)
    with nobody(), pytest.raises(NotReadableError, match="permission denied"):
        connect(path, Mode.READ)


def test_reading_changes_nothing(path):
    """A connection for reading cannot write."""
    with (
        closing(connect(path, Mode.READ)) as db,
        pytest.raises(NotWritableError),
        transaction(db),
    ):
        db.execute("insert into t values (2)")


def test_what_is_no_failure_of_the_database_is_not_explained():
    """A mistake in our own SQL stays what it is: a bug."""
    with (
        closing(connect_memory()) as db,
        pytest.raises(apsw.SQLError),
        explained(db),
    ):
        db.execute("select x from nowhere")


@pytest.mark.parametrize(
    "name", ["a b?#%.sqlite", "ä🗄.sqlite", os.fsdecode(b"\xff\xfe.sqlite"), "%41", "'"]
)
def test_a_path_is_taken_as_it_is(tmp_path, name):
    """Whatever a directory is called, the database is made in it, and found again."""
    path = tmp_path / name / name
    path.parent.mkdir()
    with closing(connect(path, Mode.CREATE)) as db:
        db.execute("create table t (x)")
        assert Path(filename(db)) == path
    assert list(path.parent.iterdir()) == [path]
    assert rows(path) == []


def test_a_database_in_memory_has_no_file():
    """What is in memory alone has no path."""
    with closing(connect_memory()) as db:
        assert filename(db) == ""


values = st.none() | st.integers(-3, 3)


@settings(max_examples=100, deadline=None)
@given(equal=values, least=values, any_of=st.none() | st.sets(st.integers(-3, 3)))
def test_filters_are_joined_and_none_asks_for_nothing(equal, least, any_of):
    """What is found is what every filter that was given lets through."""
    where = Where()
    where.equal("x", equal)
    where.at_least("x", least)
    where.any_of("x", any_of)
    with closing(connect_memory()) as db:
        db.execute("create table t (x)")
        db.executemany("insert into t values (?)", [(x,) for x in range(-3, 4)])
        sql = f"select x from t {where} order by x"  # noqa: S608 - that is the point
        found = fetch(db, sql, where.values)
    assert [x for (x,) in found] == [
        x
        for x in range(-3, 4)
        if (equal is None or x == equal)
        and (least is None or x >= least)
        and (any_of is None or x in any_of)
    ]
