"""The one lock of a memory directory: held by whoever changes a file in it."""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem import disk
from crewmem.disk.paths import closed_on_failure
from crewmem.errors import CrewmemError
from crewmem.errors.disk import UnsafePathError

LOCK = ".lock"
"""The lock file, in the directory itself: all that mount it see the same one."""

WRITERS = 0o022
"""The bits by which the group and others may change what lies in a directory."""


def held(root: disk.Directory, timeout: float) -> disk.Lock:
    """Hold the lock of the memory directory *root* until the end of ``with``.

    What changes a file, or records what others changed, does so inside. Who holds it
    and asks for it again waits for himself.

    Raises:
        LockBusyError: If another holds it for longer than *timeout* seconds.
        UnsafePathError: If something else stands where the lock file should.
        NotWritableError: If the directory may not be written.
    """
    try:
        lock = disk.lock(root, LOCK, timeout=timeout)
    except UnsafePathError as error:
        error.hint = "A lock file of crewmem belongs there: move away what it is."
        raise
    with closed_on_failure(lock):
        with suppress(CrewmemError, OSError):  # the lock is held all the same
            _share(root, lock)
        return lock


def _share(root: disk.Directory, lock: disk.Lock) -> None:
    """Let those lock who may write in *root*, as agents that share it by their group.

    Whose the file is sees to it; nobody else can.
    """
    above, own = os.fstat(root), os.fstat(lock)
    writers = above.st_mode & WRITERS
    if above.st_gid != own.st_gid:
        writers &= 0o002
    mode = own.st_mode & 0o777 | writers | writers << 1
    if mode == own.st_mode & 0o777 or own.st_uid != os.geteuid():
        return
    disk.set_mode(root, LOCK, mode)
