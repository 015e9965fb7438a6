"""Locks between processes."""

import os
import signal
import socket
import stat
import time
from pathlib import Path

import pytest

from crewmem import disk
from crewmem.errors.disk import LockBusyError, PathMissingError, UnsafePathError

NAME = "AGENT.md.lock"
LONG = 10
"""Seconds that no test waits."""


def names(path):
    """The names in a directory, in order."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries)


def is_free(root, *, shared=False):
    try:
        with disk.lock(root, NAME, timeout=0, shared=shared):
            return True
    except LockBusyError:
        return False


def test_a_lock_is_held_until_the_end_of_with(root, folder):
    """Nobody else has a lock that is held; then anybody may."""
    with disk.lock(root, NAME, timeout=0):
        with pytest.raises(LockBusyError) as caught:
            disk.lock(root, NAME, timeout=0)
        assert caught.value.path == f"{folder}/{NAME}"
        with pytest.raises(LockBusyError):
            disk.lock(root, NAME, timeout=0.002)
    assert is_free(root)


def test_a_lock_is_let_go_of_when_what_it_guards_fails(root):
    """An error inside leaves no lock."""
    with pytest.raises(ZeroDivisionError), disk.lock(root, NAME, timeout=0):
        _ = 1 / 0
    assert is_free(root)


def test_those_who_share_a_lock_hold_it_together(root):
    """Readers keep writers out, and writers everybody."""
    with (
        disk.lock(root, NAME, timeout=0, shared=True),
        disk.lock(root, NAME, timeout=0, shared=True),
    ):
        assert not is_free(root)
    with disk.lock(root, NAME, timeout=0):
        assert not is_free(root, shared=True)


def test_the_lock_file_is_private_and_stays(root, folder):
    """The file is not removed: somebody may be waiting on it."""
    with disk.lock(root, NAME, timeout=0):
        inode = (folder / NAME).stat().st_ino
    with disk.lock(root, NAME, timeout=0):
        assert (folder / NAME).stat().st_ino == inode
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600


def test_who_waits_gets_the_lock_when_it_is_free(root, before):
    """A lock that is let go of within the timeout is had."""
    held = disk.lock(root, NAME, timeout=0)
    with (
        before(time.sleep, lambda: os.close(held), nth=3),
        disk.lock(root, NAME, timeout=LONG),
    ):
        assert not is_free(root)


def test_a_signal_ends_the_waiting(root, before, descriptors):
    """Who waits for a lock can be interrupted, and leaves nothing open."""
    with disk.lock(root, NAME, timeout=0):
        open_before = descriptors()
        with (
            before(time.sleep, lambda: signal.raise_signal(signal.SIGINT)),
            pytest.raises(KeyboardInterrupt),
        ):
            disk.lock(root, NAME, timeout=LONG)
        assert descriptors() == open_before


def test_a_lock_file_that_was_removed_meanwhile_locks_nobody_out(root, folder, before):
    """Who waited on a file that is gone holds the one that has its name now."""
    held = disk.lock(root, NAME, timeout=0)

    def tidy_up():
        (folder / NAME).unlink()
        os.close(held)

    with before(time.sleep, tidy_up), disk.lock(root, NAME, timeout=LONG) as mine:
        assert os.path.samestat(os.fstat(mine), os.lstat(folder / NAME))
        assert not is_free(root)


def test_two_who_make_the_lock_file_use_the_same(root, folder, before):
    """Who finds that another made the file first uses that."""
    made = (folder / NAME).touch
    with before(os.open, made, nth=2), disk.lock(root, NAME, timeout=0):
        assert not is_free(root)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_only_that_away_which_it_has_made(root, folder, outside, before):
    """A file that is slipped in as the lock file does not become the agent's."""
    os.chown(folder, 1001, 1002)

    def slip_in():
        os.link(outside / "AGENT.md", folder / NAME)

    with before(os.open, slip_in, nth=2), disk.lock(root, NAME, timeout=0):
        assert (outside / "AGENT.md").stat().st_uid == 0


def test_a_killed_holder_leaves_no_lock(root):
    """The system lets go of what a process held, however it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        disk.lock(root, NAME, timeout=0)
        os.write(writing, b"held")
        signal.pause()
        os._exit(0)
    os.read(reading, 4)
    assert not is_free(root)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert is_free(root)
    os.close(reading)
    os.close(writing)


def test_only_a_file_can_be_a_lock(root, folder, outside, monkeypatch):
    """A link, FIFO, socket or directory is refused; nobody waits, nothing is made."""
    monkeypatch.chdir(folder)
    Path("link").symlink_to(outside / "AGENT.md")
    Path("gone").symlink_to(outside / "new")
    os.mkfifo("fifo")
    Path("dir").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    for name in names("."):
        with pytest.raises(UnsafePathError):
            disk.lock(root, name, timeout=LONG)
    with pytest.raises(PathMissingError):
        disk.lock(root, "none/x.lock", timeout=LONG)
    assert names(outside) == ["AGENT.md"]


def test_a_lock_can_tell_a_line(root, folder):
    """A line is left in the file of a lock that is held, in the place of another."""
    for line in (b"a long line\n", b"short\n", b"", b"again\n"):
        with disk.lock(root, NAME, timeout=0) as held:
            disk.stamp(held, line)
        assert (folder / NAME).read_bytes() == line
