"""Locks between processes: flock on a file that stays.

The system releases a lock when its holder ends, however that happens. The file is never
removed: another process may be waiting on it.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from crewmem.errors import LockedError
from crewmem.storage.filesystem import PRIVATE_FILE, explain, make_directory

FIRST_PAUSE = 0.001
LONGEST_PAUSE = 0.05
"""Seconds between two tries: short, because most locks are held for one short write."""


@contextlib.contextmanager
def lock(path: Path, *, wait: float = 30.0) -> Iterator[None]:
    """Hold the lock file *path* inside the block.

    Args:
        path: The lock file; it and its directory are made if missing.
        wait: Seconds to wait at most; with 0 there is one try.

    Raises:
        LockedError: If another process holds it for longer than *wait*.
    """
    with _open_lock(path) as descriptor:
        deadline = time.monotonic() + wait
        pause = FIRST_PAUSE
        while not _acquire(descriptor):
            if time.monotonic() >= deadline:
                raise LockedError(
                    f"another process holds {path}",
                    code="locked",
                    hint="wait until it ends, then run the command again",
                )
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        yield


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Try once to hold the lock file *path*; yields whether it is held."""
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
