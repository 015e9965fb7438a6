"""Looking into a database without leaving a trace."""

import os
import shutil
from contextlib import closing

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crewmem.db.connect import fetch_one
from crewmem.db.examine import broken_pages, dangling, examine, readable
from crewmem.db.library import lacking, version
from crewmem.errors.database import NotADatabaseError
from crewmem.errors.disk import DiskError, PathMissingError


def rows(db):
    return fetch_one(db, "select count(*) from t")[0]


def add(path, count=1):
    """Add rows by a connection of its own."""
    with closing(apsw.Connection(str(path))) as db:
        for _ in range(count):
            db.execute("insert into t values (1)")


@pytest.fixture
def path(tmp_path):
    """A database in WAL mode that nobody has open."""
    (tmp_path / "home").mkdir()
    path = tmp_path / "home" / "x.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("pragma journal_mode = wal").fetchall()
        db.execute("create table t (a)")
    return path


def lying(path):
    """Every byte and timestamp of what lies in the directory of *path*."""
    return {
        each.name: (each.stat().st_mtime_ns, each.is_file() and each.read_bytes())
        for each in [path.parent, *path.parent.iterdir()]
    }


def test_nothing_is_left_beside_it(path):
    """Not even for the time of the look: the directory keeps its timestamp."""
    before = lying(path)
    assert examine(path, rows) == 0
    assert lying(path) == before


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(commits=st.lists(st.sampled_from(["add", "checkpoint"]), max_size=6))
def test_what_a_killed_writer_committed_is_seen(path, tmp_path, commits):
    """Of a database, and of what lies in its -wal; both stay as they are."""
    left = tmp_path / "left"
    shutil.rmtree(left, ignore_errors=True)
    left.mkdir()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("delete from t")
        for commit in commits:
            if commit == "add":
                db.execute("insert into t values (1)")
            else:
                db.wal_checkpoint()
        for end in ("", "-wal"):
            if (beside := path.with_name(path.name + end)).exists():
                shutil.copy(beside, left)
    copy = left / path.name
    before = lying(copy)
    assert examine(copy, rows) == commits.count("add")
    assert lying(copy) == before


def test_a_writer_at_work_is_seen_and_not_disturbed(path):
    """What it has committed counts, and what it goes on to commit works."""
    with closing(apsw.Connection(str(path))) as db:
        db.execute("insert into t values (1)")
        assert examine(path, rows) == 1
        db.execute("insert into t values (1)")
        assert examine(path, rows) == 2


@pytest.mark.parametrize("changes", [1, 2, 3, 9])
def test_what_changes_during_the_look_is_looked_at_again(path, changes):
    """Without locks, and when it goes on and on, with them."""
    looks = []

    def look(db):
        seen = rows(db)
        looks.append(seen)
        if len(looks) <= changes:
            add(path)
        return seen

    with closing(apsw.Connection(str(path))) as db:
        db.execute("select * from t").fetchall()
        answer = examine(path, look)
    assert answer == min(changes, 3)
    assert looks[:2] == [0, 1]


def test_one_that_was_left_in_the_middle_of_a_change_is_not_believed(path):
    """A journal beside it says that pages have to be put back first."""
    path.with_name("x.db-journal").write_bytes(b"x")
    with pytest.raises(DiskError, match="in the middle of a change"):
        examine(path, rows)


def test_what_is_not_there_or_no_database_is_said(path, tmp_path):
    """As by everything that opens one."""
    with pytest.raises(PathMissingError):
        examine(tmp_path / "none.db", rows)
    path.write_text("a text that is long enough to be no database")
    with pytest.raises(NotADatabaseError):
        examine(path, rows)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(NotADatabaseError):
        examine(path, rows)


def test_damage_is_told_with_what_can_still_be_read(path):
    """Table by table."""
    with closing(apsw.Connection(str(path))) as db:
        db.execute("pragma journal_mode = delete").fetchall()
        db.execute("create table u (a)")
        db.execute("insert into u values (1), (2)")
    add(path, 3)
    assert examine(path, broken_pages) == []
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096)
    assert examine(path, broken_pages)
    told = examine(path, readable)
    assert told == "t: 0 rows can be read, and no more; u: all 2 rows can be read"


def test_rows_that_name_none_are_told(path):
    """With the table, the row, and what it names."""
    with closing(apsw.Connection(str(path))) as db:
        db.execute("create table parents (id integer primary key)")
        db.execute("create table kids (of references parents)")
        db.execute("insert into kids values (7)")
    assert examine(path, dangling) == ["kids, row 1: no such row in parents"]


def test_the_sqlite_that_is_carried_can_do_all_that_is_needed():
    """And is current."""
    assert lacking() == []
    assert tuple(map(int, version().split("."))) >= (3, 54)
