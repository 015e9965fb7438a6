"""What stands where an index should, and what becomes of it."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest
from files.conftest import OPERATOR, agent

from crewmem.db.connect import Mode
from crewmem.errors.disk import UnsafePathError
from crewmem.files import header
from crewmem.files.locate import at_path
from crewmem.files.reindex import reindex
from crewmem.files.search import Wanted, search
from crewmem.files.status import standing
from crewmem.files.store import INDEX_NAME, MemoryIndex


@pytest.fixture
def seek(access):
    """``seek(directory, "word")``: search it as one of the home, which is kept."""

    def call(path, text, *, kept=True, how=None):
        places = [place._replace(kept=kept) for place in at_path(path, None)]
        return search(places, Wanted(text=text, limit=10), OPERATOR, how or access)

    return call


@pytest.fixture
def stands():
    """``stands(directory)``: how its index stands."""

    def call(path, hidden=(), found=None):
        (place,) = at_path(path, None)
        return standing(place, cap=1000, hidden=hidden, busy_timeout=0.1, found=found)

    return call


def linked(directory, elsewhere):
    """Put the index of *directory* in *elsewhere*, and a link in its place."""
    elsewhere.mkdir()
    evil = elsewhere / "evil.sqlite"
    (directory / INDEX_NAME).rename(evil)
    (directory / INDEX_NAME).symlink_to(evil)
    return evil


def a_link(path, tmp_path):
    path.symlink_to(tmp_path / "nowhere")


def a_fifo(path, _):
    os.mkfifo(path)


def a_directory(path, _):
    path.mkdir()


odd = pytest.mark.parametrize("made", [a_link, a_fifo, a_directory])


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("refresh", [True, False])
def test_a_link_for_an_index_is_not_followed(
    index, memory, seek, access, tmp_path, snapshot, kept, refresh
):
    """The files are searched, and nothing is written: not there, and not here."""
    directory = memory(a="alpha\n")
    index(directory)
    linked(directory, tmp_path / "elsewhere")
    (directory / "b.md").write_text("beta\n")
    before = snapshot(directory), snapshot(tmp_path / "elsewhere")
    answer = seek(directory, "beta", kept=kept, how=access._replace(refresh=refresh))
    assert [hit.file for hit in answer.hits] == ["b.md"]
    (warning,) = answer.warnings
    assert "it is a link; move it away" in warning
    assert (snapshot(directory), snapshot(tmp_path / "elsewhere")) == before


@pytest.mark.parametrize("distrust", [True, False])
@odd
def test_what_is_no_file_is_searched_without(
    memory, seek, access, tmp_path, snapshot, made, distrust
):
    """It is left where it is, also when no index is trusted."""
    directory = memory(a="alpha\n")
    made(directory / INDEX_NAME, tmp_path)
    before = snapshot(directory)
    answer = seek(directory, "alpha", how=access._replace(distrust=distrust))
    assert answer.hits
    assert any("move it away" in warning for warning in answer.warnings)
    assert snapshot(directory) == before


@pytest.mark.parametrize("full", [True, False])
@odd
def test_reindex_refuses_what_is_no_file(index, memory, tmp_path, snapshot, made, full):
    """It says to move it away, and leaves it."""
    directory = memory(a="alpha\n")
    made(directory / INDEX_NAME, tmp_path)
    before = snapshot(directory)
    with pytest.raises(UnsafePathError, match="move it away") as error:
        index(directory, full=full)
    assert error.value.exit_code == 8
    assert snapshot(directory) == before


def test_reindex_does_not_write_through_a_link(index, memory, tmp_path, snapshot):
    """What the link leads to stays as it is."""
    directory = memory(a="alpha\n")
    index(directory)
    linked(directory, tmp_path / "elsewhere")
    (directory / "b.md").write_text("beta\n")
    before = snapshot(tmp_path / "elsewhere")
    with pytest.raises(UnsafePathError):
        index(directory)
    assert snapshot(tmp_path / "elsewhere") == before


@odd
def test_status_calls_what_is_no_file_unusable(memory, stands, tmp_path, made):
    """With the reason."""
    directory = memory(a="alpha\n")
    made(directory / INDEX_NAME, tmp_path)
    found = stands(directory)
    assert (found.state, found.stale) == ("unusable", 1)
    assert "move it away" in found.trouble


def test_a_link_in_the_cache_is_not_followed(memory, seek, access, tmp_path, snapshot):
    """A cache is as careful as a memory directory."""
    directory = memory(a="alpha\n")
    how = access._replace(cache=tmp_path / "cache")
    seek(directory, "alpha", kept=False, how=how)
    (folder,) = (tmp_path / "cache").iterdir()
    linked(folder, tmp_path / "elsewhere")
    (directory / "b.md").write_text("beta\n")
    before = snapshot(folder), snapshot(tmp_path / "elsewhere")
    answer = seek(directory, "beta", kept=False, how=how)
    assert answer.hits
    assert "it is a link" in answer.warnings[0]
    assert (snapshot(folder), snapshot(tmp_path / "elsewhere")) == before


def test_an_index_that_is_swapped_while_it_is_opened_is_refused(
    index, memory, tmp_path, monkeypatch
):
    """A link that comes after the look, and leaves before the next, gains nothing."""
    directory = memory(a="alpha\n")
    index(directory)
    path, aside = directory / INDEX_NAME, tmp_path / "aside"
    evil = tmp_path / "evil.sqlite"
    evil.write_bytes(path.read_bytes())
    connect = header.connect

    def swapped(*args, **options):
        path.rename(aside)
        path.symlink_to(evil)
        db = connect(*args, **options)
        path.unlink()
        aside.rename(path)
        return db

    monkeypatch.setattr(header, "connect", swapped)
    root = os.open(directory, os.O_RDONLY)
    with pytest.raises(UnsafePathError, match="swapped"):
        MemoryIndex.open(root, path, Mode.WRITE)
    os.close(root)


def test_a_directory_that_is_reached_by_a_link_is_searched(index, memory, tmp_path):
    """A person named it: links above a memory directory are followed."""
    directory = memory(a="alpha\n")
    (tmp_path / "way").symlink_to(directory.parent)
    (place,) = at_path(tmp_path / "way", None)
    index(directory)
    root = os.open(place.path, os.O_RDONLY)
    with closing(MemoryIndex.open(root, place.path / INDEX_NAME, Mode.READ)) as found:
        assert found.is_current()
    os.close(root)


HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin exclusive")
db.execute("update about set value = 0 where key = 'indexed_at'")
print("held", flush=True)
sys.stdin.readline()
db.execute("commit")
"""
"""A process of its own: who closes a file loses all locks that it has on it."""


@contextmanager
def held(path):
    """Keep *path* locked, in the middle of a change."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == b"held\n"
        assert path.with_name(f"{INDEX_NAME}-journal").exists()
        yield
    finally:
        child.communicate(b"\n")
    assert child.returncode == 0


@pytest.mark.parametrize("distrust", [True, False])
def test_a_locked_index_is_left_to_its_holder(
    index, memory, seek, access, snapshot, distrust
):
    """The answer is made in memory; the holder's file and journal stay."""
    directory = memory(a="alpha\n")
    index(directory)
    number = (directory / INDEX_NAME).stat().st_ino
    with held(directory / INDEX_NAME):
        (directory / "b.md").write_text("beta\n")
        before = snapshot(directory)
        answer = seek(directory, "beta", how=access._replace(distrust=distrust))
        assert snapshot(directory) == before
    assert answer.hits
    assert any("locked" in warning for warning in answer.warnings)
    assert seek(directory, "beta").warnings == []
    assert (directory / INDEX_NAME).stat().st_ino == number


def test_a_locked_index_in_the_cache_is_left_to_its_holder(
    memory, seek, access, tmp_path, snapshot
):
    """In the cache, too, nothing is renamed over what somebody works on."""
    directory = memory(a="alpha\n")
    how = access._replace(cache=tmp_path / "cache")
    seek(directory, "alpha", kept=False, how=how)
    (path,) = (tmp_path / "cache").glob(f"*/{INDEX_NAME}")
    with held(path):
        (directory / "b.md").write_text("beta\n")
        before = snapshot(path.parent)
        assert seek(directory, "beta", kept=False, how=how).hits
        assert snapshot(path.parent) == before


@pytest.mark.parametrize("found", ["missing", "damaged", "foreign", "newer"])
def test_what_nobody_needs_is_built_anew(index, memory, seek, stands, found):
    """In a home a search puts a new index in place of one that is of no use."""
    directory = memory(a="alpha\n")
    index(directory)
    path = directory / INDEX_NAME
    if found == "damaged":
        path.write_bytes(b"junk" * 2000)
    else:
        if found != "newer":
            path.unlink()
        if found != "missing":
            with closing(sqlite3.connect(path)) as db:
                db.execute("create table other (a)")
                db.execute("pragma user_version = 99")
    assert seek(directory, "alpha").hits
    assert stands(directory).state == "fresh"


def test_an_index_is_called_the_same_everywhere(index, memory, find, stands):
    """Search, status and reindex say the same of an index of another version."""
    directory = memory(a="alpha\n")
    index(directory)
    with closing(sqlite3.connect(directory / INDEX_NAME)) as db:
        db.execute("pragma user_version = 99")
    (said,) = find(directory, "alpha").warnings
    assert stands(directory).trouble == said
    assert index(directory).rebuilt == said


def test_hidden_tiers_are_in_no_count(memory, access, stands, tmp_path):
    """An agent's status counts neither the files about persons nor their chunks."""
    crew = tmp_path / "crews" / "harbor" / "shared"
    directory = memory(
        {"users/y.md": "# A\n\none\n\n# B\n\ntwo\n"}, at=crew, CREW="c\n"
    )
    (place,) = at_path(directory, None)
    reindex(place, access)
    hidden = place.hidden_tiers(agent("mira"))
    seen, all_there = stands(directory, hidden), stands(directory)
    assert (seen.files, seen.indexed, seen.chunks) == (1, 1, 1)
    assert (all_there.files, all_there.indexed, all_there.chunks) == (2, 2, 3)


def test_counting_by_tier_agrees_with_the_counts_that_are_kept(index, memory):
    """Hiding a tier that no file has changes nothing; skipped files count nowhere."""
    directory = memory({"big.md": "x" * (1 << 21), "topics/t.md": "t\n"}, a="alpha\n")
    index(directory)
    root = os.open(directory, os.O_RDONLY)
    with closing(MemoryIndex.open(root, directory / INDEX_NAME, Mode.READ)) as found:
        assert found.counts(["persona"]) == found.counts() == (2, 2, 8)
        assert found.counts(["topic"]) == (1, 1, 6)
    os.close(root)
