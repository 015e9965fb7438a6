"""Locks between processes: flock on a permanent file, and waiting for a held lock.

The kernel releases a lock when its holder exits, even after a crash. The file is never removed,
because another process may be waiting on it. A directory can be locked as well.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crewmem.errors import LockedError, RefusedError
from crewmem.storage.filesystem import PRIVATE_FILE, convert_os_error, make_directory

FIRST_PAUSE = 0.001
"""Seconds between the first two tries; each pause is twice as long as the one before."""

MAX_PAUSE = 0.05
"""Maximum seconds between two tries; most locks are held only for one short write."""

URGENT_AFTER = 5.0
"""Seconds of waiting after which the pauses are `URGENT_PAUSE`, so that processes that started
later do not overtake.

Of 200 `remember`, 40 at a time on two busy cores, 7 to 13 timed out without this, none with it.
"""

URGENT_PAUSE = 0.002

NOTICE_AFTER = 2.0
"""Seconds of waiting after which the user is told."""

on_wait: Callable[[str], None] | None = None
"""Called with the name of a resource that another process holds. The command line sets it."""


def announce_wait(resource: str) -> None:
    """Tell the user that this process waits for *resource*, which another process holds."""
    if on_wait is not None:
        on_wait(resource)


class Backoff:
    """Paces the tries to get a resource that another process holds; announces a long wait."""

    def __init__(self, resource: str, seconds: float) -> None:
        self._resource = resource
        self._pause = FIRST_PAUSE
        now = time.monotonic()
        self._deadline = now + seconds
        self._notice_at = now + NOTICE_AFTER
        self._urgent_at = now + URGENT_AFTER

    def pause(self) -> bool:
        """Sleep until the next try; return False if the time is up."""
        now = time.monotonic()
        if now >= self._deadline:
            return False
        if now >= self._notice_at:
            self._notice_at = self._deadline
            announce_wait(self._resource)
        time.sleep(self._pause)
        self._pause = URGENT_PAUSE if now >= self._urgent_at else min(self._pause * 2, MAX_PAUSE)
        return True


@contextlib.contextmanager
def lock(path: Path, *, wait: float = 30.0) -> Iterator[None]:
    """Hold the lock file *path* inside the block.

    Args:
        path: The lock file, which is created if missing with its directory; or a directory.
        wait: Maximum seconds to wait; 0 means one try.

    Raises:
        LockedError: If another process holds it for longer than *wait*.
    """
    with _open_lock(path) as descriptor:
        backoff = Backoff(str(path), wait)
        while not _acquire(descriptor):
            if not backoff.pause():
                raise LockedError(
                    f"another process holds {path}",
                    code="locked",
                    hint="wait until it ends, then run the command again",
                )
        yield


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Try once to lock the file *path*; yield whether it succeeded."""
    with _open_lock(path) as descriptor:
        yield _acquire(descriptor)


@contextlib.contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT | os.O_NONBLOCK
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        try:
            descriptor = os.open(path, flags, PRIVATE_FILE)
        except FileNotFoundError:
            make_directory(path.parent)
            descriptor = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        refused = convert_os_error(error, path, "lock")
        if isinstance(refused, RefusedError):
            refused.hint = f"run it as a user who may write to {path.parent}"
        raise refused from error
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
