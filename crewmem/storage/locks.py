"""Locks between processes: flock on a permanent file, and waiting for them.

The system releases a lock when its holder ends, however that happens. The file is never removed,
because another process may be waiting on it.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crewmem.errors import LockedError
from crewmem.storage.filesystem import PRIVATE_FILE, explain, make_directory

FIRST_PAUSE = 0.001
MAX_PAUSE = 0.05
"""Maximum seconds between two tries; most locks are held only for one short write."""

PATIENT_AFTER, PATIENT_PAUSE = 5.0, 0.002
"""Seconds after which tries become frequent, and then between them, so that newcomers do not
overtake.

Of 200 `remember`, 40 at a time on two busy cores, 7 to 13 waited in vain without it, none with it.
"""

NOTICE_AFTER = 2.0
"""Seconds after which people are told about the wait."""

on_wait: Callable[[str], None] | None = None
"""Called with the name of a resource that another process holds. The command line sets it."""


def tell_waiting(what: str) -> None:
    """Tell people that the process waits for *what*, which another process holds."""
    if on_wait is not None:
        on_wait(what)


class Waiting:
    """Waits for a resource of another process, try by try; long waits are announced."""

    def __init__(self, what: str, seconds: float) -> None:
        self._what = what
        self._pause = FIRST_PAUSE
        now = time.monotonic()
        self._end, self._notice = now + seconds, now + NOTICE_AFTER
        self._late = now + PATIENT_AFTER

    def pause(self) -> bool:
        """Wait until the next try; False when the time is up."""
        now = time.monotonic()
        if now >= self._end:
            return False
        if now >= self._notice:
            self._notice = self._end
            tell_waiting(self._what)
        time.sleep(self._pause)
        self._pause = PATIENT_PAUSE if now >= self._late else min(self._pause * 2, MAX_PAUSE)
        return True


@contextlib.contextmanager
def lock(path: Path, *, wait: float = 30.0) -> Iterator[None]:
    """Hold the lock file *path* inside the block.

    Args:
        path: The lock file; it and its directory are created if missing.
        wait: Maximum seconds to wait; with 0 there is one try.

    Raises:
        LockedError: If another process holds it for longer than *wait*.
    """
    with _open_lock(path) as descriptor:
        waiting = Waiting(str(path), wait)
        while not _acquire(descriptor):
            if not waiting.pause():
                raise LockedError(
                    f"another process holds {path}",
                    code="locked",
                    hint="wait until it ends, then run the command again",
                )
        yield


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Try once to lock the file *path*; yields whether it succeeded."""
    with _open_lock(path) as descriptor:
        yield _acquire(descriptor)


@contextlib.contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        try:
            descriptor = os.open(path, flags, PRIVATE_FILE)
        except FileNotFoundError:
            make_directory(path.parent)
            descriptor = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        raise explain(error, path, "lock") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
