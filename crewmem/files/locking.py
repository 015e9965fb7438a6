"""The one lock of a memory directory: held by whoever changes a file in it."""

from __future__ import annotations

from crewmem import disk

LOCK = ".lock"
"""The lock file, in the directory itself: all that mount it see the same one."""


def held(root: disk.Directory, timeout: float) -> disk.Lock:
    """Hold the lock of the memory directory *root* until the end of ``with``.

    What changes a file, or records what others changed, does so inside. Who holds it
    and asks for it again waits for himself.

    Raises:
        LockBusyError: If another holds it for longer than *timeout* seconds.
        UnsafePathError: If something else stands where the lock file should.
        NotWritableError: If the directory may not be written.
    """
    return disk.lock(root, LOCK, timeout=timeout)
