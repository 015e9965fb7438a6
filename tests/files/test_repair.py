"""Indexes that somebody else changed, and builds that met another."""

import os
import select
import signal
import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from crewmem import disk
from crewmem.files.locate import at_path
from crewmem.files.reindex import reindex
from crewmem.files.status import standing
from crewmem.files.store import INDEX_NAME

BY_HAND = [
    "delete from files where name = 'a.md'",
    "delete from chunks",
    "delete from words where rowid = 1",
    "delete from words",
    "delete from directories",
    "delete from about",
    "delete from about where key = 'deleted'",
    "update about set value = 'many' where key = 'files'",
    "update about set value = x'00ff' where key = 'bytes'",
    "update about set value = 1.5 where key = 'indexed_at'",
]
"""What somebody may do to an index who has SQLite and no manual."""

CHILD = """
import sys, time
from pathlib import Path
from crewmem.files.locate import at_path
from crewmem.files.indexed import Access
from crewmem.files.reindex import reindex
(place,) = at_path(Path(sys.argv[1]), None)
access = Access(cache=None, chunk_chars=1000, max_file_bytes=1 << 20,
                now_ns=time.time_ns(), busy_timeout=20)
def tick(done, total):
    if len(sys.argv) > 2:
        print("building", flush=True)
        time.sleep(60)
print("ready", flush=True)
print(reindex(place, access, full=len(sys.argv) > 2, tick=tick).added)
"""


def change(directory, sql):
    with closing(apsw.Connection(str(directory / INDEX_NAME))) as db:
        db.execute(sql)


@pytest.fixture(name="indexed")
def _indexed(memory, index):
    """A directory of two files with an index in it."""
    directory = memory(a="alpha\n", b="beta\n")
    index(directory)
    return directory


@pytest.mark.parametrize("sql", BY_HAND)
def test_rows_that_were_taken_come_back(indexed, index, find, sql):
    """A reindex finds out, builds anew and says so; no file has to change for it."""
    change(indexed, sql)
    assert "damaged" in index(indexed).rebuilt
    assert index(indexed).rebuilt == ""
    for word in ("alpha", "beta"):
        answer = find(indexed, word)
        assert (len(answer.hits), answer.warnings) == (1, [])


@pytest.mark.parametrize("sql", BY_HAND)
def test_a_search_goes_by_the_files(indexed, find, sql):
    """What an index lacks is found all the same, and what is wrong with it is said."""
    change(indexed, sql)
    for word in ("alpha", "beta"):
        answer = find(indexed, word)
        assert len(answer.hits) == 1
        assert "directories" in sql or "damaged" in " ".join(answer.warnings)


@pytest.mark.parametrize("sql", BY_HAND)
def test_status_calls_it_unusable(indexed, sql):
    """Rows that are gone are no state that heals by itself."""
    change(indexed, sql)
    (place,) = at_path(indexed, None)
    stands = standing(place, cap=1000, busy_timeout=0.2)
    assert stands.state == ("stale" if "directories" in sql else "unusable")


def test_what_crewmem_deletes_is_no_damage(indexed, index):
    """Files that change and go leave an index that is trusted."""
    for round_ in range(3):
        (indexed / "a.md").write_text(f"alpha {round_}\n")
        (indexed / "b.md").unlink(missing_ok=True)
        assert index(indexed).rebuilt == ""


def test_a_full_build_lets_nobody_in_between(indexed, access):
    """Who comes while an index is built anew waits, and goes on with the new one."""
    (place,) = at_path(indexed, None)
    started = []

    def tick(*_):
        if started:
            return
        (indexed / "late.md").write_text("gamma\n")  # after the walk of the build
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(indexed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdout.readline() == b"ready\n"
        assert select.select([child.stdout], [], [], 0.7)[0] == []  # it waits
        started.append(child)

    assert reindex(place, access, full=True, tick=tick).files == 2
    (child,) = started
    out, errors = child.communicate(timeout=30)
    assert (child.returncode, errors) == (0, b"")
    assert out == b"1\n"
    with closing(apsw.Connection(str(indexed / INDEX_NAME))) as db:
        names = db.execute("select name from files order by name").fetchall()
    assert names == [("a.md",), ("b.md",), ("late.md",)]


def test_the_next_build_clears_up_after_a_killed_one(indexed, index):
    """Of a build that is killed a file is left, and only until somebody builds again.

    That of a build that still runs is left alone.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(indexed), "full"], stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"ready\n"
    assert child.stdout.readline() == b"building\n"
    left = temporaries(indexed)
    assert len(left) == 1
    with disk.open_root(indexed) as root:
        from crewmem.files.build import _remove_abandoned

        _remove_abandoned(root)
    assert temporaries(indexed) == left
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    index(indexed, full=True)
    assert temporaries(indexed) == []


def temporaries(directory):
    return [path.name for path in directory.iterdir() if disk.is_temporary(path.name)]


@pytest.fixture
def plainly():
    """The umask that most have."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of_index(directory):
    return (directory / INDEX_NAME).stat().st_mode & 0o777


@pytest.mark.usefixtures("plainly")
@pytest.mark.parametrize(
    ("files", "mode"), [(0o644, 0o644), (0o640, 0o640), (0o600, 0o600), (0o604, 0o604)]
)
def test_a_new_index_is_as_open_as_its_files(memory, index, files, mode):
    """It says what they say: who may not read one of them may not read it."""
    directory = memory(a="alpha\n", b="beta\n")
    (directory / "b.md").chmod(files)
    index(directory)
    assert mode_of_index(directory) == mode
    index(directory, full=True)
    assert mode_of_index(directory) == mode


@pytest.mark.usefixtures("plainly")
@pytest.mark.parametrize("full", [False, True])
def test_an_index_is_closed_with_the_first_file_that_is(memory, index, full):
    """What is brought in later closes it as well, and what is open opens it no more."""
    directory = memory(a="alpha\n")
    index(directory)
    assert mode_of_index(directory) == 0o644
    (directory / "b.md").write_text("beta\n")
    (directory / "b.md").chmod(0o600)
    index(directory, full=full)
    assert mode_of_index(directory) == 0o600
    (directory / "c.md").write_text("gamma\n")
    index(directory)
    assert mode_of_index(directory) == 0o600


def test_a_search_can_show_how_far_it_is(memory, find, access):
    """An index that a search has to build tells each file, as a reindex does."""
    directory = memory({f"n{n}.md": "alpha\n" for n in range(5)})
    told = []
    how = access._replace(tick=lambda *counts: told.append(counts))
    find(directory, "alpha", how=how)
    assert told == [(n, 5) for n in range(1, 6)]
