"""Bringing a whole file to a name: content first, then the name, each on the disk.

What is staged lies beside its target, as a temporary file. Whatever fails before
the name is taken leaves the target as it was. A failed fsync is final: the kernel
may have dropped the data, and a second one that succeeds proves nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os

from crewmem.disk.failures import failure, reason
from crewmem.disk.ownership import give, resemble
from crewmem.disk.paths import path_below
from crewmem.errors.disk import NotDurableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.disk.paths import Directory

    Put = Callable[[Directory, str, str], None]

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
"""How a temporary file is opened: it must not be there, not even as a link."""

FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""macOS: its fsync stops at the drive's own cache."""

NO_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOTTY})
"""Answers of file systems that do not have this way to sync."""


def publish(
    parent: Directory,
    temporary: str,
    name: str,
    *,
    prepare: Callable[[], None],
    put: Put,
) -> None:
    """Make *temporary* by *prepare* and give it the *name*, or leave nothing of it.

    Not a context manager: between its parts a signal could slip through.
    """
    path = path_below(parent, name)
    try:
        prepare()
        put(parent, temporary, name)
    except OSError as error:
        discard(parent, temporary)
        raise _unpublished(error, path) from error
    except BaseException:
        discard(parent, temporary)
        raise
    settle(parent, path)


def _unpublished(error: OSError, path: str) -> Exception:
    if error.errno == errno.EEXIST:
        from crewmem.errors.registry import ExistsError

        return ExistsError(path)
    return failure(error, path, "write")


def stage(
    parent: Directory,
    temporary: str,
    content: bytes,
    mode: int,
    like: os.stat_result | None = None,
) -> None:
    """Put *content* on the disk as *temporary*, which looks *like* what it replaces."""
    opened = os.open(temporary, NEW, mode, dir_fd=parent)
    try:
        put_whole(opened, content)
        finish(opened, parent, like)
    finally:
        os.close(opened)


def put_whole(opened: int, content: bytes) -> None:
    """Write all of *content*, in as many calls as that takes."""
    left = memoryview(content)
    while left:
        left = left[os.write(opened, left) :]


def finish(opened: int, parent: Directory, like: os.stat_result | None) -> None:
    """Give *opened* its owner and permissions, and wait until it is on the disk."""
    if like:
        resemble(opened, like)
    else:
        give(opened, parent)
    _sync(opened)


def settle(parent: int, path: str) -> None:
    """Wait until the names in *parent*, *path* among them, are on the disk.

    Raises:
        NotDurableError: If the disk does not confirm it.
    """
    try:
        _sync(parent)
    except OSError as error:
        if error.errno not in NO_SYNC:  # such a directory cannot be synced at all
            raise NotDurableError(path, reason(error)) from error


def _sync(opened: int) -> None:
    if FULL_SYNC is not None:
        try:
            fcntl.fcntl(opened, FULL_SYNC)
        except OSError as error:
            if error.errno not in NO_SYNC:
                raise
        else:
            return
    os.fsync(opened)


def discard(parent: Directory, temporary: str) -> bool:
    """Remove *temporary*, if it is there and can be; else `is_temporary` finds it."""
    try:
        os.unlink(temporary, dir_fd=parent)
    except OSError:
        return False
    return True


def replace(parent: Directory, temporary: str, name: str) -> None:
    """Give *temporary* the *name*, whatever had it."""
    os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)


def claim(parent: Directory, temporary: str, name: str) -> None:
    """Give *temporary* the *name*, unless something has it."""
    try:
        os.link(
            temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False
        )
    except FileExistsError:
        raise
    except OSError:  # many file systems have no links, and many ways to say so
        _rename_new(parent, temporary, name)
    else:
        discard(parent, temporary)


def _rename_new(parent: int, temporary: str, name: str) -> None:
    """Rename as `claim` needs it, where there are no links: Python has no call."""
    import ctypes  # here: rarely needed, and slow to import

    libc = ctypes.CDLL(None, use_errno=True)
    for call, exclusive in (("renameat2", 1), ("renameatx_np", 4)):
        if rename := getattr(libc, call, None):
            old, new = os.fsencode(temporary), os.fsencode(name)
            if rename(parent, old, parent, new, exclusive) == 0:
                return
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
