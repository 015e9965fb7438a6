"""Moving a file elsewhere below its root."""

import errno
import os
from itertools import count

import pytest

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import DiskError, PathMissingError, UnsafePathError
from crewmem.errors.registry import ExistsError

CALLS = (os.link, os.unlink, os.fsync, os.open, os.lstat)


@pytest.fixture(name="note")
def _note(folder):
    (folder / "archive").mkdir()
    (folder / "note").write_bytes(b"words")
    (folder / "note").chmod(0o640)
    return folder / "note"


def test_a_file_moves_with_all_it_is(root, folder, note):
    """It has the new name, its bytes and permissions, and the old name is gone."""
    before = note.stat()
    disk.move(root, "note", "archive/note")
    after = (folder / "archive/note").stat()
    assert (folder / "archive/note").read_bytes() == b"words"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert not note.exists()
    assert after.st_nlink == 1


def test_what_is_there_is_not_replaced(root, folder, note):
    """Where something has the name nothing is moved."""
    (folder / "archive/note").write_bytes(b"other")
    with pytest.raises(ExistsError):
        disk.move(root, "note", "archive/note")
    assert note.read_bytes() == b"words"
    assert (folder / "archive/note").read_bytes() == b"other"


def test_what_is_no_file_is_not_moved(root, folder, outside):
    """A link, a directory, a name that leads out: refused; what is missing, said."""
    (folder / "link").symlink_to(outside / "AGENT.md")
    (folder / "archive").mkdir()
    for name in ("link", "archive", "../outside/AGENT.md"):
        with pytest.raises(UnsafePathError):
            disk.move(root, name, "archive/x")
    with pytest.raises(PathMissingError):
        disk.move(root, "nothing", "archive/x")
    (folder / "note").write_bytes(b"words")
    with pytest.raises(PathMissingError):
        disk.move(root, "note", "nowhere/x")
    assert [*(folder / "archive").iterdir()] == []
    assert (outside / "AGENT.md").read_bytes() == b"secret"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_whatever_fails_the_file_has_a_name(root, folder, note, before, call):
    """Any call may fail: it is at the old place or the new one, whole."""
    for nth in count(1):
        note.write_bytes(b"words")
        (folder / "archive/note").unlink(missing_ok=True)
        failed = []

        def fail(failed=failed):
            failed.append(True)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        refused = False
        with before(call, fail, nth):
            try:
                disk.move(root, "note", "archive/note")
            except CrewmemError:
                refused = True
        names = [path for path in (note, folder / "archive/note") if path.exists()]
        assert names
        assert {path.read_bytes() for path in names} == {b"words"}
        if not refused:
            assert names == [folder / "archive/note"]
        if not failed:
            break


def test_a_move_that_is_refused_leaves_the_file_there(root, folder, note, before):
    """Where the new name cannot be made to last, the old one is the only one."""

    def fail():
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with before(os.fsync, fail), pytest.raises(DiskError):
        disk.move(root, "note", "archive/note")
    assert note.read_bytes() == b"words"
    assert not (folder / "archive/note").exists()


def test_the_only_name_is_never_taken_away(root, folder, note, monkeypatch):
    """Where the disk takes the old name and says that it failed, the new one stays."""
    unlink = os.unlink

    def takes_and_fails(*args, **more):
        unlink(*args, **more)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", takes_and_fails)
        with pytest.raises(DiskError):
            disk.move(root, "note", "archive/note")
    assert not note.exists()
    assert (folder / "archive/note").read_bytes() == b"words"


def test_a_disk_without_links_is_no_hindrance(root, folder, note, before):
    """Where a file cannot have two names it is copied, and then removed."""

    def fail():
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    with before(os.link, fail):
        disk.move(root, "note", "archive/note")
    assert (folder / "archive/note").read_bytes() == b"words"
    assert not note.exists()
