"""What the answers of the system mean for the person who waits."""

from __future__ import annotations

import errno
import stat
from contextlib import contextmanager

from crewmem.errors.disk import (
    DiskError,
    NotADirectoryPathError,
    NotReadableError,
    NotWritableError,
    PathMissingError,
    UnsafePathError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.errors import CrewmemError

FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""Answers that say who may not, rather than what went wrong."""

IN_THE_WAY = {
    errno.ELOOP: "it is a link",
    errno.EISDIR: "it is a directory",
    errno.ENXIO: "it is a socket or a device",
    errno.ENAMETOOLONG: "a name in it is too long",
}
"""Answers that say that something else stands where a file or directory should."""

KINDS = {
    stat.S_IFLNK: "it is a link",
    stat.S_IFDIR: "it is a directory",
    stat.S_IFIFO: "it is a FIFO",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}
"""What can stand where a file should."""


def reason(error: OSError) -> str:
    """Return the system's words, as they read inside a sentence."""
    return (error.strerror or str(error)).lower()


def not_a_file(path: str, mode: int) -> UnsafePathError:
    """Say what stands at *path*, by its *mode*."""
    return UnsafePathError(path, KINDS.get(stat.S_IFMT(mode), "it is not a file"))


def failure(error: OSError, path: str, doing: str) -> CrewmemError:
    """Say what *error* means for *doing* something to *path*.

    Args:
        error: The answer of the system.
        path: What was worked on.
        doing: A verb, as in "cannot read".
    """
    code = error.errno
    if code == errno.ENOENT:
        return PathMissingError(path)
    if code == errno.ENOTDIR:
        return NotADirectoryPathError(path)
    if code in IN_THE_WAY:
        return UnsafePathError(path, IN_THE_WAY[code])
    if code in FORBIDDEN:
        refused = NotReadableError if doing == "read" else NotWritableError
        return refused(path, reason(error))
    return DiskError(path, doing, reason(error))


@contextmanager
def explained(path: str, doing: str) -> Iterator[None]:
    """Say of the system's errors inside what they mean, as `failure` does."""
    try:
        yield
    except OSError as error:
        raise failure(error, path, doing) from error
