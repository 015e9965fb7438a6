"""Locks between processes: a file that stays, held by an open descriptor.

The system lets go of a lock when its holder ends, however that ends, so a killed
process leaves none behind. The file is never removed: somebody may be waiting on
it, and the next to come would make another one and hold that.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from crewmem.disk.failures import explained, not_a_file
from crewmem.disk.names import printable
from crewmem.disk.ownership import PRIVATE, give
from crewmem.disk.paths import Descriptor, closed_on_failure, locate, path_below
from crewmem.errors.disk import LockBusyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.paths import Directory, StrPath

OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""How a lock file is opened. For writing: over NFS only that can be locked alone."""

MAKE = OPEN | os.O_CREAT | os.O_EXCL
"""How it is made."""

FIRST_PAUSE = 0.001
"""Seconds between the first two tries: most locks are held for one short write."""

LONGEST_PAUSE = 0.05
"""Seconds between two tries at most, so that a lock is not left lying about."""


class Lock(Descriptor):
    """A lock that is held until the end of ``with``."""


def lock(
    root: int,
    relative: StrPath,
    *,
    timeout: float,
    shared: bool = False,
    mode: int = PRIVATE,
) -> Lock:
    """Hold the lock file *relative* below *root*, which is made if it is not there.

    Waiting is in short steps, so a signal is answered at once. Within a process
    it is no different: who holds a lock and asks for it again waits for himself.

    Args:
        root: The descriptor of a directory.
        relative: The lock file, below it.
        timeout: Seconds to wait at most; with 0 there is one try.
        shared: Whether others that share may hold it at the same time.
        mode: Of the file if it is made, subject to the umask.

    Raises:
        LockBusyError: If it is held by another for longer than *timeout*.
        UnsafePathError: If it is a link, directory, FIFO, socket or device.
        NotWritableError: If it may not be made or opened.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = time.monotonic() + timeout
    parent, name = locate(root, printable(relative))
    path = path_below(parent, name)
    with parent:
        while True:
            with explained(path, "lock"):
                held = _open_or_make(parent, name, path, mode)
                with closed_on_failure(held):
                    _require_file(held)
                    _wait(held, kind, deadline)
                    if _is_current(held, parent, name):
                        return held
            held.close()


def stamp(held: Lock, line: bytes) -> None:
    """Leave a short *line* in the file of *held*, in the place of what it said.

    It is written at once, and not brought to the disk: it tells of what can be lost.

    Raises:
        NotWritableError: If it may not be changed.
    """
    with explained(held.path, "mark"):
        os.pwrite(held, line, 0)
        if os.fstat(held).st_size != len(line):
            os.ftruncate(held, len(line))


def _open_or_make(parent: Directory, name: str, path: str, mode: int) -> Lock:
    """Open *name*. Made and opened are two calls: only what root made it gives away."""
    while True:
        try:
            return Lock(os.open(name, OPEN, dir_fd=parent), path)
        except FileNotFoundError:
            pass
        try:
            made = Lock(os.open(name, MAKE, mode, dir_fd=parent), path)
        except FileExistsError:
            continue
        with closed_on_failure(made):
            give(made, parent)
        return made


def _require_file(held: Lock) -> None:
    mode = os.fstat(held).st_mode
    if not stat.S_ISREG(mode):
        raise not_a_file(held.path, mode)


def _wait(held: Lock, kind: int, deadline: float) -> None:
    pause = FIRST_PAUSE
    while not _try(held, kind):
        left = deadline - time.monotonic()
        if left <= 0:
            raise LockBusyError(held.path)
        time.sleep(min(pause, left))
        pause = min(2 * pause, LONGEST_PAUSE)


def _try(held: Lock, kind: int) -> bool:
    try:
        fcntl.flock(held, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_current(held: Lock, parent: Directory, name: str) -> bool:
    """Tell whether the file that was locked still has the name others will open."""
    try:
        there = os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(held), there)
