"""Bringing an index up to date."""

import os
import signal
import subprocess
import sys
import time

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crewmem.errors.database import DatabaseBusyError
from crewmem.files import build as build_module
from crewmem.files.indexed import Access
from crewmem.files.locate import at_path
from crewmem.files.reindex import reindex
from crewmem.files.store import INDEX_NAME


def rows(directory):
    """What an index says, without ids, which tell only its history."""
    db = apsw.Connection(str(directory / INDEX_NAME), flags=apsw.SQLITE_OPEN_READONLY)
    found = db.execute(
        """
        select f.directory, f.name, f.tier, f.size, f.content_hash, f.chunks, f.lossy,
               f.skipped, c.first_line, c.last_line, c.heading, c.body
          from files f left join chunks c on c.file_id = f.id
         order by 1, 2, 9, 10, 12
        """
    ).fetchall()
    words = db.execute("select * from vocabulary order by term").fetchall()
    words += db.execute(
        "select key, value from about where key <> 'indexed_at' order by key"
    ).fetchall()
    db.close()
    return found, words


def test_it_counts_what_it_did(index, memory):
    """Added, changed, removed, skipped; and nothing when nothing changed."""
    directory = memory({"daily/2026-04-01.md": "one\n"}, a="alpha\n", b="beta\n")
    done = index(directory)
    assert (done.files, done.chunks, done.added) == (3, 3, 3)
    (directory / "a.md").write_text("gamma\n")
    (directory / "b.md").unlink()
    (directory / "c.md").symlink_to("a.md")
    done = index(directory)
    assert (done.added, done.changed, done.removed) == (0, 1, 1)
    assert [each.file for each in done.skipped] == ["c.md"]
    done = index(directory)
    assert (done.added, done.changed, done.removed) == (0, 0, 0)


def test_a_name_that_is_not_utf8_comes_and_goes(index, memory):
    """It is skipped while it is there, and forgotten afterwards."""
    directory = memory(a="alpha\n")
    odd = directory / os.fsdecode(b"bad\xff.md")
    odd.write_text("x\n")
    assert len(index(directory).skipped) == 1
    odd.unlink()
    done = index(directory)
    assert (done.removed, list(done.skipped)) == (0, [])


def test_nothing_changed_costs_no_write(index, memory):
    """The second run leaves the file of the index as it is."""
    directory = memory(a="alpha\n")
    index(directory)
    before = (directory / INDEX_NAME).stat()
    index(directory)
    after = (directory / INDEX_NAME).stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_change_that_keeps_size_and_mtime_is_caught(index, memory):
    """What sets a file's mtime back cannot set its ctime back."""
    directory = memory(a="alpha\n")
    index(directory)
    stamp = (directory / "a.md").stat()
    (directory / "a.md").write_text("gamma\n")
    os.utime(directory / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert index(directory).changed == 1


def test_two_writes_in_one_tick_are_two(index, memory, find):
    """What is written right after a reindex has another stamp than what it read."""
    directory = memory(a="alpha 0\n")
    for n in range(1, 12):
        index(directory)
        stamp = (directory / "a.md").stat()
        (directory / "a.md").write_text(f"alpha {n % 10}\n")
        os.utime(directory / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert find(directory, f"{n % 10}").hits


def test_a_file_that_comes_in_the_same_tick_is_found(index, memory, find):
    """Names are relied on only where no later one could hide behind their sign."""
    directory = memory(a="alpha\n")
    for n in range(8):
        index(directory)
        (directory / f"new{n}.md").write_text(f"fresh{n}\n")
        assert find(directory, f"fresh{n}").hits


def signs(directory):
    db = apsw.Connection(str(directory / INDEX_NAME), flags=apsw.SQLITE_OPEN_READONLY)
    found = dict(db.execute("select path, sign <> x'' from directories"))
    db.close()
    return found


def test_names_that_were_not_all_read_are_read_again(index, memory):
    """A file that goes while others are read leaves its directory without a sign."""
    directory = memory({"x/a.md": "one\n", "x/b.md": "two\n", "y/c.md": "three\n"})
    gone = directory / "x" / "b.md"
    index(directory, tick=lambda *_: gone.unlink(missing_ok=True))
    assert signs(directory) == {"": True, "x": False, "y": True}
    assert index(directory).files == 2
    gone.write_text("two\n")
    assert index(directory).files == 3
    assert signs(directory)["x"]


def test_touched_files_are_not_cut_again(index, memory):
    """A stamp that changed over the same content is no change."""
    directory = memory(a="alpha\n")
    index(directory)
    os.utime(directory / "a.md", ns=(1, 1))
    done = index(directory)
    assert (done.added, done.changed, done.removed) == (0, 0, 0)


@pytest.mark.parametrize("content", [b"", b"junk " * 999], ids=["empty", "junk"])
def test_an_index_that_is_no_database_is_built_anew_and_said(index, memory, content):
    """What is derived is rebuilt, in place of whatever is there."""
    directory = memory(a="alpha\n")
    (directory / INDEX_NAME).write_bytes(content)
    done = index(directory)
    assert done.rebuilt
    assert done.added == 1


def test_an_index_of_a_newer_schema_is_built_anew_and_said(index, memory):
    """It is derived: the files are the truth."""
    directory = memory(a="alpha\n")
    index(directory)
    db = apsw.Connection(str(directory / INDEX_NAME))
    db.execute("pragma user_version = 99")
    db.close()
    assert "version" in index(directory).rebuilt


def test_an_index_that_lost_rows_is_built_anew_and_said(index, memory, find):
    """What contradicts itself is damaged, whoever took its rows."""
    directory = memory(a="alpha\n", b="beta\n")
    index(directory)
    db = apsw.Connection(str(directory / INDEX_NAME))
    db.execute("delete from directories")
    db.close()
    assert "damaged" in index(directory).rebuilt
    assert find(directory, "alpha").warnings == []


def test_a_wal_of_another_program_does_not_poison_the_new_index(index, memory, find):
    """What lies beside a foreign index goes with it."""
    directory = memory(a="alpha\n")
    (directory / INDEX_NAME).write_bytes(b"junk" * 2000)
    (directory / f"{INDEX_NAME}-wal").write_bytes(b"junk" * 2000)
    index(directory)
    assert not (directory / f"{INDEX_NAME}-wal").exists()
    assert find(directory, "alpha").hits


def test_other_settings_mean_another_index(index, memory, access):
    """Chunks of another size are not mixed into an index."""
    directory = memory(a="word " * 300)
    assert index(directory).chunks == 2
    done = index(directory, access=access._replace(chunk_chars=300))
    assert done.chunks > 4
    assert "settings" in done.rebuilt


def test_a_locked_index_is_busy(index, memory):
    """A lock that is held longer than the timeout is told."""
    directory = memory(a="alpha\n")
    index(directory)
    (directory / "b.md").write_text("beta\n")
    other = apsw.Connection(str(directory / INDEX_NAME))
    other.execute("begin exclusive")
    with pytest.raises(DatabaseBusyError):
        index(directory)
    other.execute("rollback")


def test_an_interrupted_build_leaves_no_trace(index, memory, monkeypatch):
    """^C in the middle of the first index: neither an index nor a temporary file."""
    directory = memory(a="alpha\n")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(build_module, "refresh", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index(directory)
    assert sorted(path.name for path in directory.iterdir()) == ["a.md"]


edits = st.lists(
    st.tuples(
        st.sampled_from(
            ["a.md", "b.md", "daily/2026-01-01.md", "topics/t.MD", "x.txt"]
        ),
        st.none() | st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
    ),
    max_size=6,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rounds=st.lists(edits, min_size=1, max_size=4))
def test_incremental_equals_full(tmp_path_factory, access, rounds):
    """After any edits, an index brought up to date says what a new one says."""
    directory = tmp_path_factory.mktemp("tree") / ".memory"
    directory.mkdir()
    (place,) = at_path(directory, None)
    for edit in rounds:
        for name, content in edit:
            path = directory / name
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
        reindex(place, access)
    updated = rows(directory)
    reindex(place, access, full=True)
    assert rows(directory) == updated


CHILD = """
import sys, time
from pathlib import Path
from crewmem.files.locate import at_path
from crewmem.files.indexed import Access
from crewmem.files.reindex import reindex
(place,) = at_path(Path(sys.argv[1]), None)
access = Access(cache=None, chunk_chars=1000, max_file_bytes=1 << 20,
                now_ns=time.time_ns(), busy_timeout=20)
print("ready", flush=True)
reindex(place, access, full=len(sys.argv) > 2)
"""


def test_killed_at_any_moment_the_index_is_whole(memory, index, find):
    """After kill -9 the old index or the new one answers, and the next run mends."""
    many = {f"n{n}.md": f"# N{n}\n\n{'alpha beta gamma ' * 40}\n" for n in range(150)}
    directory = memory(many)
    index(directory)
    for turn in range(6):
        for n in range(0, 150, 2):
            (directory / f"n{n}.md").write_text(f"turn{turn} " * 200)
        extra = ["full"] if turn % 2 else []
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(directory), *extra],
            stdout=subprocess.PIPE,
        )
        child.stdout.readline()
        time.sleep(0.004 * turn)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert len(find(directory, f"turn{turn}", limit=50).hits) == 50
    index(directory)
    assert find(directory, "turn5").warnings == []


def test_two_at_once_and_a_reader(memory, find, access):
    """Several reindexes and searches of one directory at once: no error, one truth."""
    directory = memory({f"n{n}.md": "alpha beta\n" * 30 for n in range(120)})
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(directory)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    patient = Access(**access._asdict() | {"busy_timeout": 20.0})
    for _ in range(5):
        assert find(directory, "alpha", how=patient).hits
    for child in children:
        _, errors = child.communicate()
        assert (child.returncode, errors) == (0, b"")
