"""Opening and reading what lies below a root, and nothing else.

A path is walked on descriptors, one name at a time and never through a link, so
what is swapped between a check and its use leads nowhere: the check is on what
is open. Reading leaves no time of access behind where the system can be asked so.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager

from crewmem.disk.failures import failure, not_a_file
from crewmem.disk.names import components, unspeakable
from crewmem.errors.disk import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from crewmem.errors import CrewmemError

    StrPath = str | os.PathLike[str]

NO_ATIME: int = getattr(os, "O_NOATIME", 0)
"""Leaves the time of access alone. Linux; for a file's owner and for root only."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""How a directory below a root is opened."""

PASSED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
"""How a directory on the way is opened. Where the system can, it need not be listed:
whoever may pass through may."""

LEAF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""How a file is opened for reading: a FIFO does not block, a terminal is not taken."""

GROWTH = 16_384
"""Bytes asked for at a time once more is read than the file had when it was opened."""


class Descriptor(int):
    """An open descriptor: a number for ``os``, closed at the end of ``with``.

    Attributes:
        path: What it was opened as. For messages; it may be elsewhere by now.
    """

    path: str

    def __new__(cls, number: int, path: str) -> Self:
        """Take over *number*, which must be open."""
        self = super().__new__(cls, number)
        self.path = path
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it; nothing is written through it, so nothing can be lost."""
        try:  # noqa: SIM105 - suppress() costs more than the call itself
            os.close(self)
        except OSError:
            pass


class Directory(Descriptor):
    """An open directory."""


class File(Descriptor):
    """An open regular file, for reading.

    Attributes:
        stat: What it was like when it was opened.
    """

    stat: os.stat_result

    def read(self, limit: int) -> bytes:
        """Return all of the file, what is added meanwhile included.

        Raises:
            InputTooLargeError: If it holds more than *limit* bytes.
        """
        size = self.stat.st_size
        if size > limit:
            raise self._too_large(size, limit)
        pieces = []
        total, wanted = 0, size + 1
        try:
            while piece := os.read(self, wanted):
                pieces.append(piece)
                total, wanted = total + len(piece), GROWTH
                if total > limit:
                    raise self._too_large(total, limit)
        except OSError as error:
            raise failure(error, self.path, "read") from error
        return b"".join(pieces)

    def _too_large(self, size: int, limit: int) -> Exception:
        from crewmem.errors.cli import InputTooLargeError

        return InputTooLargeError(self.path, size, limit)


def open_root(path: StrPath) -> Directory:
    """Open the directory *path*; links in it are followed, for a person named it.

    Raises:
        PathMissingError: If nothing is there.
        NotADirectoryPathError: If something else is there.
        NotReadableError: If it may not be listed.
    """
    text = os.fspath(path)
    if reason := unspeakable(text):
        raise UnsafePathError(text, reason)
    try:
        number = open_quietly(text, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnsafePathError(text, "its links lead in a circle") from error
        raise failure(error, text, "read") from error
    return Directory(number, text.rstrip("/") or "/")


def open_below(path: StrPath, relative: StrPath) -> Directory:
    """Open the directory *relative* below *path*, as `open_root` and then on.

    Links in *path* are followed, for a person named it, and none below it. Only the
    directory itself has to be one that may be listed.

    Raises:
        UnsafePathError: If *relative* could lead out, or goes through a link.
        PathMissingError: If nothing is there.
        NotReadableError: If it may not be listed.
    """
    *above, name = components(relative)
    here = _passed(os.fspath(path), PASSED)
    for each in above:
        with here:
            here = _passed(each, PASSED | os.O_NOFOLLOW, here)
    with here:
        return step(here, name)


def _passed(name: str, flags: int, parent: Directory | None = None) -> Directory:
    path = name if parent is None else path_below(parent, name)
    try:
        return Directory(os.open(name, flags, dir_fd=parent), path)
    except OSError as error:
        if parent is None:
            raise failure(error, path, "read") from error
        raise _not_entered(error, parent, name, path) from error


def open_directory(root: int, relative: StrPath) -> Directory:
    """Open the directory *relative* below *root*.

    Raises:
        UnsafePathError: If *relative* could lead out, or goes through a link.
        PathMissingError: If nothing is there.
    """
    return walk(root, components(relative))


def open_file(root: int, relative: StrPath) -> File:
    """Open the regular file *relative* below *root* for reading.

    Raises:
        UnsafePathError: If *relative* could lead out, goes through a link, or is
            a link, directory, FIFO, socket or device.
        PathMissingError: If nothing is there.
    """
    *above, name = components(relative)
    if not above:
        return _open_leaf(root, name)
    with walk(root, above) as parent:
        return _open_leaf(parent, name)


def read(root: int, relative: StrPath, *, limit: int) -> bytes:
    """Return what the file *relative* below *root* holds.

    Raises:
        InputTooLargeError: If that is more than *limit* bytes.
    """
    with open_file(root, relative) as file:
        return file.read(limit)


def locate(root: int, relative: StrPath) -> tuple[Directory, str]:
    """Open the directory that *relative* is in; return it, to be closed, and the name.

    Raises:
        UnsafePathError: If *relative* could lead out, or goes through a link.
    """
    *above, name = components(relative)
    return walk(root, above), name


def walk(root: int, names: Sequence[str]) -> Directory:
    """Open the directory that *names* lead to, from *root* on; the caller closes it."""
    path = path_below(root)
    try:
        here = Directory(os.dup(root), path)
    except OSError as error:  # too many are open
        raise failure(error, path, "open") from error
    for name in names:
        with here:  # as it is now: the next one is open before this one is closed
            here = step(here, name)
    return here


def step(parent: int, name: str) -> Directory:
    """Open the directory *name*, which is in *parent*."""
    path = path_below(parent, name)
    try:
        return Directory(open_quietly(name, FOLDER, parent), path)
    except OSError as error:
        raise _not_entered(error, parent, name, path) from error


def path_below(root: int, name: str = "") -> str:
    """Return what to call *name* in *root*, or *root* itself, in a message."""
    above = root.path if isinstance(root, Descriptor) else ""
    if above and name:
        return f"{above.rstrip('/')}/{name}"
    return above or name


def open_quietly(path: str, flags: int, parent: int | None = None) -> int:
    """Open for reading, without leaving a time of access where that is allowed."""
    try:
        return os.open(path, flags | NO_ATIME, dir_fd=parent)
    except PermissionError as error:
        if error.errno != errno.EPERM or not NO_ATIME:
            raise
        return os.open(path, flags, dir_fd=parent)


@contextmanager
def closed_on_failure(opened: Descriptor) -> Iterator[None]:
    """Close *opened* if what is done with it inside fails; else it stays open."""
    try:
        yield
    except BaseException:
        opened.close()
        raise


def _open_leaf(parent: int, name: str) -> File:
    path = path_below(parent, name)
    try:
        file = File(open_quietly(name, LEAF, parent), path)
    except OSError as error:
        raise failure(error, path, "read") from error
    try:
        file.stat = _regular(file)
    except BaseException:
        file.close()
        raise
    return file


def _regular(file: File) -> os.stat_result:
    try:
        found = os.fstat(file)
    except OSError as error:
        raise failure(error, file.path, "read") from error
    if not stat.S_ISREG(found.st_mode):
        raise not_a_file(file.path, found.st_mode)
    return found


def _not_entered(error: OSError, parent: int, name: str, path: str) -> CrewmemError:
    """Tell a link from a file, which the system does not do for directories."""
    if error.errno == errno.ENOTDIR:
        try:
            mode = os.lstat(name, dir_fd=parent).st_mode
        except OSError:
            return failure(error, path, "read")
        if stat.S_ISLNK(mode):
            return not_a_file(path, mode)
    return failure(error, path, "read")
