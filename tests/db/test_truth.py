"""crewmem.db: made, changed, and read where nothing may be written."""

import os
import stat
from contextlib import closing

import pytest

from crewmem.db import truth
from crewmem.db.connect import Mode, connect, fetch, fetch_one, transaction
from crewmem.db.migrate import TRUTH, migrate, newest, version
from crewmem.errors.database import (
    DatabaseBusyError,
    ForeignDatabaseError,
    NotADatabaseError,
    SchemaTooNewError,
)
from crewmem.errors.disk import DiskError, NotWritableError
from crewmem.errors.registry import HomeMissingError
from tests.disk.test_faults import on_mount

ADD = "insert into workspaces (name, created_at) values (?, '')"

FOREIGN = "create table t (x)"


@pytest.fixture(name="home")
def _home(reachable):
    """A home, which anybody can get to."""
    path = reachable / "home"
    path.mkdir(mode=0o755)
    return path


def add(home, *names):
    """Open the database, add workspaces, and leave it open."""
    db = truth.open_to_write(home)
    with transaction(db):
        for name in names:
            db.execute(ADD, (name,))
    return db


def names(db):
    with closing(db):
        return [name for (name,) in fetch(db, "select name from workspaces")]


def tree(home):
    """Return all that could tell that somebody was here."""
    return {
        path: (
            path.lstat().st_mtime_ns,
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else None,
        )
        for path in [home, *home.rglob("*")]
    }


def freeze(home, files=0o444):
    """Take the right to write from everybody."""
    for path in home.rglob("*"):
        path.chmod(files if path.is_file() else 0o555)
    home.chmod(0o555)


def test_a_database_is_made_private_and_durable(home):
    """It is its owner's alone, with a log, and synced at every change."""
    with closing(truth.open_to_write(home)) as db:
        assert fetch_one(db, "pragma journal_mode") == ("wal",)
        assert fetch_one(db, "pragma synchronous") == (2,)
        assert version(db) == newest(TRUTH)
        modes = {path.stat().st_mode for path in home.glob("crewmem.db*")}
    assert {stat.S_IMODE(mode) for mode in modes} == {0o600}


def test_nothing_lies_beside_a_closed_database(home):
    """Who closes it last leaves one file."""
    add(home, "a").close()
    assert [each.name for each in home.glob("crewmem.db*")] == ["crewmem.db"]


def test_a_home_is_not_made(tmp_path):
    """Without a home there is nothing to write, and nothing is made."""
    with pytest.raises(HomeMissingError, match="no crewmem home"):
        truth.open_to_write(tmp_path / "home")
    assert truth.open_to_read(tmp_path / "home") is None
    assert list(tmp_path.iterdir()) == []


def test_no_database_is_none_and_none_is_made(home):
    """Reading makes nothing."""
    assert truth.open_to_read(home) is None
    assert list(home.iterdir()) == []


def test_an_empty_file_is_no_database_yet(home):
    """Who was killed while he made it left an empty file, which the next one fills."""
    (home / truth.NAME).touch(mode=0o600)
    assert truth.open_to_read(home) is None
    add(home, "a").close()
    assert names(truth.open_to_read(home)) == ["a"]


def test_several_who_make_it_at_once_all_succeed(home, beside):
    """One makes it, and the others find it made."""
    actions = [lambda name=name: add(home, name).close() for name in "abcd"]
    assert beside(*actions) == [0] * 4
    assert names(truth.open_to_read(home)) == ["a", "b", "c", "d"]


def test_what_is_opened_to_be_read_cannot_be_changed(home):
    """A mistake of ours does not reach what is true."""
    add(home, "a").close()
    with (
        closing(truth.open_to_read(home)) as db,
        pytest.raises(NotWritableError),
        transaction(db),
    ):
        db.execute(ADD, ("b",))


def test_readers_and_a_writer_do_not_wait_for_each_other(home):
    """What is committed is read while somebody changes it."""
    with closing(add(home, "a")) as writer, transaction(writer):
        writer.execute(ADD, ("b",))
        assert names(truth.open_to_read(home, busy_timeout=0)) == ["a"]


def test_who_holds_it_alone_is_named(home):
    """A lock that is not let go ends reading and writing with the same word."""
    with closing(add(home, "a")) as db:
        fetch(db, "pragma locking_mode = exclusive")
        with transaction(db):
            db.execute(ADD, ("b",))
        for opened in (truth.open_to_read, truth.open_to_write):
            with pytest.raises(DatabaseBusyError):
                opened(home, busy_timeout=0.01)


@pytest.mark.parametrize("left", ["nothing", "wal", "wal and shm"])
@pytest.mark.parametrize("files", [0o444, 0o644])
@pytest.mark.parametrize("who", ["nobody", "root", "owner"])
def test_a_frozen_home_is_read_whole_and_left_alone(
    home, nobody, killed, left, files, who
):
    """What was committed is read, that in the log included; nobody can tell."""
    add(home, "a").close()
    if left != "nothing":
        killed(lambda: add(home, "b"))
        assert (home / "crewmem.db-wal").stat().st_size
    if left == "wal":
        (home / "crewmem.db-shm").unlink()
    freeze(home, files)
    if who == "owner" and not os.geteuid():
        for path in [home, *home.rglob("*")]:
            os.chown(path, 65534, 65534)
    before = tree(home)
    if who == "root":
        found = names(truth.open_to_read(home))
    else:
        with nobody():
            found = names(truth.open_to_read(home))
    assert found == (["a"] if left == "nothing" else ["a", "b"])
    assert tree(home) == before


def test_a_home_of_somebody_who_is_at_work_is_read_as_it_is_now(home, nobody):
    """Who may only read sees what was committed last, also while it goes on."""
    with closing(add(home, "a")) as writer:
        for path in home.glob("crewmem.db*"):
            path.chmod(0o644)
        with nobody(), closing(truth.open_to_read(home)) as db:
            assert fetch(db, "select name from workspaces") == [("a",)]
            os.seteuid(os.getuid())
            with transaction(writer):
                writer.execute(ADD, ("b",))
            assert fetch(db, "select name from workspaces") == [("a",), ("b",)]


@pytest.mark.parametrize("what", ["home", "file"])
def test_what_may_not_be_written_is_named(home, nobody, what):
    """Who may not write is told of what, and nothing is changed."""
    add(home, "a").close()
    (home / truth.NAME).chmod(0o444)
    home.chmod(0o777 if what == "file" else 0o555)
    before = tree(home)
    named = home if what == "home" else home / truth.NAME
    with nobody(), pytest.raises(NotWritableError) as caught:
        truth.open_to_write(home)
    assert caught.value.path == named
    assert tree(home) == before


def test_a_change_that_was_cut_short_is_not_guessed_at(home, nobody):
    """Where a change must be undone first and cannot be, that is said."""
    add(home, "a").close()
    (home / "crewmem.db-journal").write_bytes(b"x" * 512)
    freeze(home)
    with nobody(), pytest.raises(DiskError, match="in the middle of a change"):
        truth.open_to_read(home)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["directory", "fifo"])
def test_what_is_no_file_is_no_database(home, make):
    """Whatever else stands there is named, and not waited for."""
    make(home / truth.NAME)
    for opened in (truth.open_to_read, truth.open_to_write):
        with pytest.raises(NotADatabaseError):
            opened(home)


def test_a_foreign_database_is_left_alone(home):
    """Not even its journal mode is changed."""
    with closing(connect(home / truth.NAME, Mode.CREATE)) as db:
        db.execute(FOREIGN)
    before = (home / truth.NAME).read_bytes()
    for opened in (truth.open_to_read, truth.open_to_write):
        with pytest.raises(ForeignDatabaseError):
            opened(home)
    assert (home / truth.NAME).read_bytes() == before


def test_a_newer_database_is_read_and_not_written(home):
    """What is understood of it is read; a change is refused."""
    with closing(add(home, "a")) as db:
        db.execute(f"pragma user_version = {newest(TRUTH) + 1}")
    assert names(truth.open_to_read(home)) == ["a"]
    with pytest.raises(SchemaTooNewError):
        truth.open_to_write(home)


@pytest.fixture(name="newer")
def _newer(home, schema):
    """The name of a schema of one step more than the database in *home* has seen."""
    with closing(connect(home / truth.NAME, Mode.CREATE)) as db:
        db.execute("pragma journal_mode = wal").fetchall()
        migrate(db, schema(FOREIGN))
        db.execute("insert into t values (1)")
    return schema(FOREIGN, "alter table t add column y default 2")


@pytest.mark.parametrize("opened", [truth.open_to_read, truth.open_to_write])
def test_an_older_database_is_brought_up_to_date(home, newer, opened):
    """Whoever opens it first migrates it, with a backup beside."""
    with closing(opened(home, schema=newer)) as db:
        assert fetch(db, "select x, y from t") == [(1, 2)]
    assert (home / "crewmem.db.before-0002").is_file()


def test_an_older_database_that_is_frozen_is_migrated_in_memory(home, newer, nobody):
    """It is read as if it had been migrated, and stays what it is."""
    freeze(home)
    before = tree(home)
    with nobody(), closing(truth.open_to_read(home, schema=newer)) as db:
        assert fetch(db, "select x, y from t") == [(1, 2)]
    assert tree(home) == before


def test_on_a_full_disk_it_is_read_and_the_disk_is_named(tmp_path):
    """Where there is no room for what SQLite locks with, what is there is read."""
    program = """
import os
from pathlib import Path
from crewmem.db.connect import fetch
from crewmem.db.truth import open_to_read, open_to_write
from crewmem.errors.disk import DiskError
home = Path("full")
open_to_write(home).close()
print(sorted(each for each in os.listdir(home) if "-" in each))
with open(home / "fill", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError as error:
        print(error.strerror)
try:
    open_to_write(home)
except DiskError as error:
    print(error)
    print(error.hint)
db = open_to_read(home)
print(fetch(db, "select count(*) from journal_entries"))
"""
    (tmp_path / "full").mkdir()
    mount = "mount -t tmpfs -o size=1m none full"
    assert on_mount(mount, program, tmp_path) == [
        "[]",
        "No space left on device",
        "cannot use full/crewmem.db: no space left on device",
        "Make room there and do it again; what was there is as it was.",
        "[(0,)]",
    ]
