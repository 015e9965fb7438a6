"""Recording what was changed by other means, in real directories."""

import os
import shutil

import pytest
from files.histories import (
    REF,
    SECRET,
    chain,
    contents,
    die_after,
    entries,
    mira,
    opened,
    swept,
    wrote,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors.disk import LockBusyError
from crewmem.files.folders import open_place
from crewmem.files.locking import held
from crewmem.files.unrecorded import is_as_recorded, suspects
from crewmem.files.walk import walk


@pytest.fixture(name="place")
def _place(home):
    return mira(home)


@pytest.fixture(name="history")
def _history(home):
    with opened(home) as history:
        yield history


def operations(versions):
    return [each.operation for each in versions]


def is_idle(history, place):
    """Tell whether a sweep would find nothing to look at."""
    with open_place(place) as root:
        return is_as_recorded([*walk(root)], history.listings(place.ref("")))


def test_what_lies_there_is_where_history_begins(history, place):
    """Of a directory that is met for the first time there are versions, no entries."""
    (place.path / "daily").mkdir()
    (place.path / "daily/2026-05-01.md").write_bytes(b"- noted\n")
    (place.path / "AGENT.md").write_bytes(b"# mira\n")
    assert not is_idle(history, place)
    done = swept(history, place)
    assert [each.ref.partition("/")[2] for each in done.versions] == [
        "mira/AGENT.md",
        "mira/daily/2026-05-01.md",
    ]
    assert {each.written_by for each in done.versions} == {"unknown"}
    assert contents(history) == [b"# mira\n"]
    assert entries(history) == []
    assert is_idle(history, place)


def test_a_change_is_recorded_once_and_entered(history, place):
    """Of nobody knows whom; nothing is recorded of what did not change."""
    path = place.path / "AGENT.md"
    path.write_bytes(b"a\n")
    swept(history, place)
    path.write_bytes(b"a\nb\n")
    assert not is_idle(history, place)
    (version,) = swept(history, place).versions
    assert (version.operation, version.bytes) == ("outside", 4)
    (entry,) = entries(history)
    assert (entry.actor_type, entry.agent_id, entry.severity) == (
        "system",
        "mira",
        "info",
    )
    assert swept(history, place).versions == []
    assert contents(history) == [b"a\n", b"a\nb\n"]


def test_a_file_that_comes_later_is_an_event(history, place):
    """The first version of a new file is entered, unlike that of an old one."""
    swept(history, place)
    (place.path / "BRIEF.md").write_bytes(b"go\n")
    assert operations(swept(history, place).versions) == ["outside"]
    assert "met for the first time" in entries(history)[0].summary


def test_what_is_removed_is_a_version_without_content(history, place):
    """Once; what is written there later follows it."""
    path = place.path / "AGENT.md"
    path.write_bytes(b"a")
    swept(history, place)
    path.unlink()
    assert operations(swept(history, place).versions) == ["removed"]
    assert swept(history, place).versions == []
    path.write_bytes(b"b")
    swept(history, place)
    assert contents(history) == [b"a", None, b"b"]
    chain(history)


def test_a_folder_that_is_removed_takes_its_files_along(history, place):
    """Each of them is recorded as removed, and the folder is forgotten."""
    for name in ("a", "b"):
        (place.path / "topics").mkdir(exist_ok=True)
        (place.path / f"topics/{name}.md").write_text(name)
    swept(history, place)
    shutil.rmtree(place.path / "topics")
    assert operations(swept(history, place).versions) == ["removed", "removed"]
    assert is_idle(history, place)
    assert [*history.listings(place.ref(""))] == [""]


def test_a_folder_with_trouble_says_nothing(place):
    """Neither it nor what is below it is taken for changed or removed."""
    (place.path / "topics/deep").mkdir(parents=True)
    (place.path / "topics/deep/a.md").write_text("a")
    (place.path / "topics/b.md").write_text("b")
    with open_place(place) as root:
        found = [*walk(root)]
    known = {each.path: each.listing for each in found}
    closed = [
        each._replace(listing=b"", trouble="permission denied")
        if each.path == "topics"
        else each
        for each in found
        if each.path != "topics/deep"
    ]
    assert is_as_recorded(closed, known)
    assert suspects(closed, known) == ({}, [], [], [])
    gone = [each for each in found if not each.path]
    assert suspects(gone, known).gone == ["topics/b.md", "topics/deep/a.md"]


def test_what_crewmem_wrote_is_not_recorded_again(history, place):
    """The newest version has those bytes already."""
    swept(history, place)
    wrote(history, b"through the door\n")
    (place.path / "AGENT.md").write_bytes(b"through the door\n")
    assert swept(history, place).versions == []
    assert is_idle(history, place)
    assert operations(chain(history)) == ["replace"]


def test_a_write_that_was_killed_before_its_version_is_recorded_once(history, place):
    """The file was replaced, and the row was not there yet."""
    swept(history, place)
    wrote(history, b"before")
    (place.path / "AGENT.md").write_bytes(b"after")
    assert operations(swept(history, place).versions) == ["outside"]
    assert swept(history, place, full=True).versions == []
    assert contents(history) == [b"before", b"after"]


def test_a_secret_is_not_kept_and_warned_of(history, place, home):
    """By the names of rules: the secret is in no other file and no entry."""
    swept(history, place)
    (place.path / "AGENT.md").write_text(f"token {SECRET}\n")
    (version,) = swept(history, place).versions
    assert version.is_redacted
    (entry,) = entries(history)
    assert (entry.severity, entry.payload["secrets"]) == ("warn", ["github-token"])
    holding = [
        path
        for path in home.rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert holding == [place.path / "AGENT.md"]


def test_a_secret_that_was_there_from_the_beginning_is_warned_of_as_well(
    history, place
):
    """Though nothing happened otherwise."""
    (place.path / "AGENT.md").write_text(f"token {SECRET}\n")
    (place.path / "BRIEF.md").write_text("nothing\n")
    assert len(swept(history, place).versions) == 2
    assert [entry.severity for entry in entries(history)] == ["warn"]


def test_what_is_known_of_persons_is_recorded_for_operators_alone(history, place):
    """Its entry belongs to nobody."""
    swept(history, place)
    (place.path / "peers").mkdir()
    (place.path / "peers/0123456789abcdef.md").write_text("likes tea\n")
    swept(history, place)
    (entry,) = entries(history)
    assert (entry.crew_id, entry.agent_id) == (None, None)


def test_a_change_that_hides_from_stamps_is_found_when_all_is_read(history, place):
    """As on a medium whose clock stands still."""
    path = place.path / "AGENT.md"
    path.write_bytes(b"one")
    swept(history, place)
    path.write_bytes(b"two")
    with open_place(place) as root:
        history.remember(place.ref(""), {"": next(walk(root)).listing}, [])
    assert swept(history, place).versions == []
    assert operations(swept(history, place, full=True).versions) == ["outside"]


def test_a_copied_tree_is_as_it_was(history, place, tmp_path):
    """Other inodes alone are no change: nothing is read, the stamps are kept."""
    for name in ("AGENT.md", "BRIEF.md"):
        (place.path / name).write_text(name)
    swept(history, place)
    os.rename(place.path, tmp_path / "old")  # noqa: PTH104 - as rsync does
    shutil.copytree(tmp_path / "old", place.path)
    assert swept(history, place).versions == []
    assert is_idle(history, place)


ODD = {
    "a link": lambda path: path.symlink_to("elsewhere.md"),
    "a FIFO": os.mkfifo,
    "a large file": lambda path: path.write_bytes(b"x" * 2_000),
    "a name that is not UTF-8": lambda path: (
        path.parent / os.fsdecode(b"\xff.md")
    ).write_text("x"),
}


@pytest.mark.parametrize("odd", ODD)
def test_what_cannot_be_compared_is_said_once_and_holds_up_nothing(history, place, odd):
    """The files beside it are recorded, and the next sweep is idle."""
    ODD[odd](place.path / "odd.md")
    (place.path / "AGENT.md").write_text("a")
    done = swept(history, place, limit=1_000)
    assert [each.ref for each in done.versions] == [REF]
    assert len(done.troubles) == (odd in {"a large file", "a name that is not UTF-8"})
    assert is_idle(history, place)
    assert swept(history, place, limit=1_000).troubles == []
    for path in place.path.glob("[!A]*.md"):
        path.unlink()
    done = swept(history, place, limit=1_000)
    assert (done.versions, done.troubles) == ([], [])


def test_nothing_is_recorded_while_somebody_writes(history, place):
    """The directory is locked; the next sweep finds what this one could not."""
    (place.path / "AGENT.md").write_text("a")
    with (
        open_place(place) as root,
        held(root, 0),
        pytest.raises(LockBusyError),
    ):
        swept(history, place, timeout=0)
    assert not is_idle(history, place)
    assert len(swept(history, place).versions) == 1


def test_two_sweeps_at_once_record_a_change_once(home, place, beside):
    """And several writers through the shell beside them."""
    for number in range(30):
        (place.path / f"note-{number}.md").write_text(f"{number}")

    def sweep():
        with opened(home) as history:
            for _ in range(3):
                swept(history, place)

    with opened(home):
        pass
    assert beside(sweep, sweep, sweep) == [0] * 3
    with opened(home) as history:
        for number in range(30):
            ref = place.ref(f"note-{number}.md")
            assert contents(history, ref) == [f"{number}".encode()]


@pytest.mark.parametrize("at", range(0, 60, 4))
def test_a_killed_sweep_is_finished_by_the_next(home, place, at):
    """At whichever call it dies, each change is recorded once."""
    for number in range(3):
        (place.path / f"note-{number}.md").write_text(f"{number}")
    with opened(home):
        pass
    child = os.fork()
    if not child:
        die_after(at, "open", "write", "fsync", "rename", "mkdir")
        with opened(home) as history:
            swept(history, place)
        os._exit(0)
    os.waitpid(child, 0)
    with opened(home) as history:
        swept(history, place)
        for number in range(3):
            ref = place.ref(f"note-{number}.md")
            assert contents(history, ref) == [f"{number}".encode()]
        assert is_idle(history, place)


def test_a_disk_that_fails_is_looked_at_again(history, place, monkeypatch):
    """What could not be read is not taken for compared."""
    (place.path / "AGENT.md").write_text("a")
    real = disk.read

    def failing(root, relative, *, limit):
        from crewmem.errors.disk import DiskError

        if relative == "AGENT.md":
            raise DiskError(relative, "read", "input/output error")
        return real(root, relative, limit=limit)

    monkeypatch.setattr(disk, "read", failing)
    done = swept(history, place)
    assert done.versions == []
    assert "input/output error" in done.troubles[0]
    monkeypatch.undo()
    assert not is_idle(history, place)
    assert len(swept(history, place).versions) == 1


class Shell(RuleBasedStateMachine):
    """Whatever is done to a directory, a sweep makes versions say what files say."""

    names = st.sampled_from(["AGENT.md", "topics/a.md", "topics/b.md", "notes.md"])

    def __init__(self):
        super().__init__()
        import tempfile
        from pathlib import Path

        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name) / "home"
        self.keeping = opened(self.home)
        self.history = self.keeping.__enter__()
        self.place = mira(self.home)
        self.said = {}
        swept(self.history, self.place)

    @rule(name=names, text=st.binary(max_size=4))
    def write(self, name, text):
        path = self.place.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)

    @rule(name=names)
    def remove(self, name):
        (self.place.path / name).unlink(missing_ok=True)

    @rule()
    def remove_folder(self):
        shutil.rmtree(self.place.path / "topics", ignore_errors=True)

    @rule(name=names, other=names)
    def move(self, name, other):
        path = self.place.path / name
        if path.exists():
            (self.place.path / other).parent.mkdir(exist_ok=True)
            path.replace(self.place.path / other)

    @rule()
    def sweep(self):
        swept(self.history, self.place)
        assert is_idle(self.history, self.place)
        for name in ("AGENT.md", "topics/a.md", "topics/b.md", "notes.md"):
            ref, path = self.place.ref(name), self.place.path / name
            now = path.read_bytes() if path.is_file() else None
            said = self.said.setdefault(name, [])
            if now != (said[-1] if said else None):
                said.append(now)
            assert contents(self.history, ref) == said
            chain(self.history, ref)
        assert swept(self.history, self.place).versions == []

    def teardown(self):
        self.keeping.__exit__(None, None, None)
        self.folder.cleanup()


TestShell = Shell.TestCase
TestShell.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)


def test_hashes_of_many_files_are_one_question(history, place):
    """Of files of this directory alone, and of each the newest."""
    wrote(history, b"a")
    wrote(history, b"b")
    wrote(history, b"c", ref="agent:harbor/mira2/AGENT.md")
    assert history.store.hashes(place.ref("")) == {REF: sha256(b"b")}
