"""A store outlives those who write it, and says what of it is damaged."""

import os
import signal
import stat
import subprocess
import sys
from contextlib import closing, suppress

import pytest
from vectors.conftest import DIM, SMALL, SPACE

from crewmem.db.connect import Mode, connect
from crewmem.errors.database import (
    DerivedDamagedError,
    ForeignDatabaseError,
    NotADatabaseError,
)
from crewmem.errors.disk import NotWritableError
from crewmem.errors.registry import HomeMissingError
from crewmem.retrieval.numerics import np
from crewmem.vectors import page
from crewmem.vectors.pages_store import PARTS
from crewmem.vectors.store import VECTORS, VectorStore

pytestmark = pytest.mark.usefixtures("_small_pages")

ONES = [1] * DIM

WRITER = f"""
import sys
from pathlib import Path
from crewmem.retrieval.numerics import np
from crewmem.vectors import page
from crewmem.vectors.pages_store import PARTS
from crewmem.vectors.pages_store import PARTS
from crewmem.vectors.space import Space
from crewmem.vectors.store import VectorStore

for name, value in {SMALL}.items():
    setattr(page, name, value)
space = Space(*{tuple(SPACE)})
store = VectorStore.open_to_write(Path(sys.argv[1]))
at = store.mark(space)
while True:
    with store.changing():
        store.add(space, range(at, at + 7), 1, 1 + np.arange(7 * {DIM}).reshape(7, -1))
        store.remove(space, range(at - 20, at - 17))
        store.set_mark(space, at + 7)
    at += 7
    print(at, flush=True)
"""
"""Adds seven vectors, removes three older ones, tells how far it is, and so on."""


@pytest.fixture
def home(reachable):
    """A home that is there, and empty."""
    path = reachable / "home"
    path.mkdir()
    yield path
    path.chmod(0o755)


def writer(home):
    """Start a process that writes until it is killed."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, home], stdout=subprocess.PIPE, text=True
    )


def consistent(store):
    """Return the mark, after a look at whether all is as far as it says."""
    mark = store.mark(SPACE)
    starts = range(7, mark, 7)
    gone = {key for at in starts for key in range(at - 20, at - 17)}
    assert set(store.keys(SPACE).tolist()) == {*range(mark)} - gone
    assert store.count(SPACE) == len(store.keys(SPACE))
    assert store.damaged == {}
    return mark


def filled(home, count=100):
    """Return the store of *home*, filled with vectors of the keys from 0 on."""
    store = VectorStore.open_to_write(home)
    store.add(SPACE, range(count), 1, 1 + np.arange(count * DIM).reshape(count, DIM))
    return store


def tree(home):
    """Return all files in *home* with their bytes, and when they were changed."""
    return {
        each: (each.read_bytes() if each.is_file() else b"", each.stat().st_mtime_ns)
        for each in [home, *home.rglob("*")]
    }


def freeze(home):
    """Take from everybody the right to write anything in *home*."""
    for each in [*home.rglob("*"), home]:
        each.chmod(0o555 if each.is_dir() else 0o444)


def test_a_kill_at_any_moment_loses_nothing_that_was_told(home):
    """A writer that is killed leaves what it told as done, and half of nothing."""
    told = 0
    for batches in (1, 40, 3, 17, 2, 29, 8, 5):
        with writer(home) as process:
            for _ in range(batches):
                told = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().split()
        told = int(lines[-1]) if lines else told
        with closing(VectorStore.open_to_read(home)) as store:
            assert consistent(store) >= told
            store.check(SPACE)
            assert store.damaged == {}


def test_readers_see_whole_changes_while_somebody_writes(home):
    """Each answer is of one moment, whatever is written meanwhile."""
    with writer(home) as process:
        marks = []
        while len(marks) < 60:
            process.stdout.readline()
            with closing(VectorStore.open_to_read(home)) as store:
                marks.append(store.mark(SPACE))
                with store._pages.reading():
                    consistent(store)
                count = store.count(SPACE)
                found = store.nearest(SPACE, ONES, count)
                assert len(found.keys) >= count - 7
        process.kill()
    assert marks == sorted(marks)
    assert marks[-1] > marks[0]


def test_what_is_written_elsewhere_is_seen(home):
    """A store that is open answers for what others have added since."""
    with closing(filled(home)) as one, closing(VectorStore.open_to_read(home)) as other:
        assert other.count(SPACE) == 100
        one.add(SPACE, [1000], 1, [ONES])
        assert other.nearest(SPACE, ONES, 1).keys.tolist() == [1000]


@pytest.mark.parametrize("left", ["closed", "killed"])
def test_a_frozen_home_is_read_and_left_alone(home, nobody, left):
    """On a medium that cannot be written all is found, and nothing is changed."""
    filled(home).close()
    if left == "killed":
        with writer(home) as process:
            process.stdout.readline()
            process.kill()
    freeze(home)
    before = tree(home)
    with nobody(), closing(VectorStore.open_to_read(home)) as store:
        assert len(store.nearest(SPACE, ONES, 9).keys) == 9
    with nobody(), pytest.raises(NotWritableError):
        VectorStore.open_to_write(home)
    assert tree(home) == before


def damage(home, sql, *values):
    """Change the tables in *home* behind the store's back."""
    with closing(connect(home / VECTORS.name, Mode.WRITE)) as db:
        db.execute(sql, values)


DAMAGE = {
    "codes are gone": "delete from vector_codes where page = 3",
    "codes are short": "update vector_codes set packed = x'00' where page = 3",
    "scales are no numbers": "update vector_codes set packed = ? where page = 3",
    "codes are noise": (
        "update vector_codes set packed = randomblob(length(packed)) where page = 3"
    ),
    "vectors are noise": (
        "update vector_parts set vectors = randomblob(length(vectors))"
        " where id / 64 = 3"
    ),
    "codes are those of another page": (
        "update vector_codes set packed = (select packed from vector_codes"
        " where page = 1) where page = 3"
    ),
    "parts are gone": "delete from vector_parts where id / 64 = 3",
    "parts are short": "update vector_parts set vectors = x'00' where id / 64 = 3",
}


@pytest.mark.parametrize("sql", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_page_is_told_and_the_others_are_searched(home, sql):
    """What can be read is found, what cannot is named, and a sweep makes it again."""
    with closing(filled(home)) as store:
        store.set_mark(SPACE, 99)
        slots = page.slots_of_page(DIM)
        mine = {*range(2 * slots, 3 * slots)}
    damage(home, sql, *[b"\xff" * slots * (DIM + page.HEAD)] * sql.count("?"))
    with closing(VectorStore.open_to_write(home)) as store:
        found = store.nearest(SPACE, ONES, 100).keys.tolist()
        assert {*range(100)} - mine <= {*found}
        assert {*found} <= {*range(100)}
        edges = store.neighbours(SPACE, range(100))
        assert {*range(1, 100)} - mine <= {*edges.keys.tolist()}
        assert [*store.damaged] == [3]
        assert store.mend(SPACE) == slots
        assert store.damaged == {}
        assert store.mark(SPACE) == 2 * slots - 1
        assert store.has(SPACE, range(100)) == {*range(100)} - mine
        store.add(
            SPACE, sorted(mine), 1, 1 + np.arange(slots * DIM).reshape(slots, DIM)
        )
        store.check(SPACE)
        assert store.damaged == {}


@pytest.mark.parametrize("table", ["vector_codes", "vector_parts"])
def test_a_check_finds_what_only_looks_whole(home, table):
    """A number that was changed on the disk is found by a check of everything."""
    filled(home).close()
    row = {"vector_codes": 2, "vector_parts": 2 * PARTS}[table]
    column = {"vector_codes": "packed", "vector_parts": "vectors"}[table]
    with (
        closing(connect(home / VECTORS.name, Mode.WRITE)) as db,
        db.blob_open("main", table, column, row, True) as blob,
    ):
        blob.seek(blob.length() - 1)
        last = blob.read(1)[0]
        blob.seek(blob.length() - 1)
        blob.write(bytes([last ^ 0x40]))
    with closing(VectorStore.open_to_read(home)) as store:
        store.check(SPACE)
        assert [*store.damaged] == [2]


def test_vectors_are_not_added_to_a_page_that_is_damaged(home):
    """What cannot be read is not rewritten: new vectors go to a new page."""
    with closing(filled(home)) as store:
        last = store._pages.last(1).id
    damage(home, "update vector_codes set packed = x'00' where page = ?", last)
    with closing(VectorStore.open_to_write(home)) as store:
        store.add(SPACE, [1000], 1, [ONES])
        assert store.has(SPACE, [1000]) == {1000}
        assert [*store.damaged] == [last]


RUINED = {
    "no database": b"not a database at all" * 1000,
    "half a header": b"SQLite format 3\0",
    "nulls": bytes(100_000),
}


@pytest.mark.parametrize("content", RUINED.values(), ids=RUINED)
def test_a_ruined_store_is_named_and_made_anew(home, content):
    """Reading says what is wrong and which command helps; writing begins anew."""
    filled(home).close()
    path = home / VECTORS.name
    path.write_bytes(content)
    with pytest.raises(DerivedDamagedError) as caught:
        VectorStore.open_to_read(home)
    assert VECTORS.again in caught.value.hint
    with closing(VectorStore.open_to_write(home)) as store:
        assert store.spaces() == []
        store.add(SPACE, [1], 1, [ONES])
    with closing(VectorStore.open_to_read(home)) as store:
        assert store.count(SPACE) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_damage_inside_is_named_with_the_way_out(home):
    """A database whose tables are torn is named, and `open_anew` begins anew."""
    filled(home, 2000).close()
    path = home / VECTORS.name
    whole = path.read_bytes()
    path.write_bytes(whole[:65_536] + os.urandom(len(whole) - 65_536))
    with (
        pytest.raises(DerivedDamagedError) as caught,
        closing(VectorStore.open_to_read(home)) as store,
    ):
        store.spaces()
    assert VECTORS.again in caught.value.hint
    with closing(VectorStore.open_anew(home)) as store:
        assert store.spaces() == []


def test_a_store_of_another_version_is_empty_until_it_is_written(home):
    """What is derived needs no migration: it is dropped by who writes next."""
    filled(home).close()
    damage(home, "pragma user_version = 99")
    with closing(VectorStore.open_to_read(home)) as store:
        assert store.spaces() == []
    with closing(VectorStore.open_to_write(home)) as store:
        assert store.spaces() == []
        store.add(SPACE, [1], 1, [ONES])
    with closing(VectorStore.open_to_write(home)) as store:
        assert store.count(SPACE) == 1


def test_who_has_an_old_store_open_does_no_harm_to_the_new(home):
    """A store that is replaced is still read by who has it open, and ends with them."""
    old = filled(home)
    with closing(VectorStore.open_anew(home)) as new:
        new.add(SPACE, [5], 1, [ONES])
        assert old.count(SPACE) == 100
        old.close()
        assert new.count(SPACE) == 1
        new.add(SPACE, [6], 1, [ONES])
    with closing(VectorStore.open_to_read(home)) as store:
        assert store.count(SPACE) == 2


@pytest.mark.parametrize(
    "opened",
    [VectorStore.open_to_read, VectorStore.open_to_write, VectorStore.open_anew],
)
def test_what_is_not_ours_is_left_alone(home, opened):
    """A database of another program, and what is no file, are refused."""
    path = home / VECTORS.name
    with closing(connect(path, Mode.CREATE)) as db:
        db.execute("create table t (x)")
    before = path.read_bytes()
    with pytest.raises(ForeignDatabaseError):
        opened(home)
    assert path.read_bytes() == before
    path.unlink()
    path.mkdir()
    with pytest.raises(NotADatabaseError):
        opened(home)


def test_without_a_home_there_is_none_to_write(tmp_path):
    """A home is made by `init`, not by a store."""
    with pytest.raises(HomeMissingError):
        VectorStore.open_to_write(tmp_path / "nowhere")
    with closing(VectorStore.open_to_read(tmp_path / "nowhere")) as store:
        assert store.spaces() == []
    with suppress(FileNotFoundError):
        (tmp_path / "nowhere").rmdir()
        pytest.fail("it was made")


def test_knowing_where_a_sweep_is_needs_no_numpy(home):
    """Marks, counts and failures are read without numpy, and nothing is written."""
    filled(home).close()
    before = tree(home)
    code = f"""
import sys
from pathlib import Path
from crewmem.vectors.space import Space
from crewmem.vectors.store import VectorStore

store = VectorStore.open_to_read(Path(sys.argv[1]))
space = Space(*{tuple(SPACE)})
print(store.mark(space), store.count(space), len(store.failures(space)))
print(len(store.spaces()), "numpy" in sys.modules)
store.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, home], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "100", "0", "1", "False"]
    assert {path: each[0] for path, each in tree(home).items()} == {
        path: each[0] for path, each in before.items()
    }
