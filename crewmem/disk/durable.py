"""Writing, making and removing files: what is reported done is on the disk."""

from __future__ import annotations

import os
import stat

from crewmem.disk.failures import explained, not_a_file
from crewmem.disk.names import components, printable, temporary_name
from crewmem.disk.ownership import PRIVATE
from crewmem.disk.paths import LEAF, locate, path_below
from crewmem.disk.staging import claim, finish, publish, replace, settle, stage
from crewmem.disk.staging import discard as discard_staged
from crewmem.errors.disk import NotWritableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.paths import Directory, StrPath


def write(root: int, relative: StrPath, content: bytes, *, mode: int = PRIVATE) -> None:
    """Make the file *relative* below *root* hold *content*, durably, or change nothing.

    A file that is there keeps its permissions, and owner and group as far as that
    is allowed. *mode*, subject to the umask, is for one that is new.

    Raises:
        UnsafePathError: If *relative* could lead out, goes through a link, or is
            a link, directory, FIFO, socket or device.
        PathMissingError: If its directory is not there.
        NotWritableError: If it may not be written.
        DiskError: If the disk is full or fails.
        NotDurableError: If it was replaced, but that may not be on the disk.
    """
    parent, name = locate(root, printable(relative))
    with parent:
        path = path_below(parent, name)
        like = before(parent, name, path)
        temporary = temporary_name(name)

        def prepare() -> None:
            stage(parent, temporary, content, PRIVATE if like else mode, like)

        publish(parent, temporary, name, prepare=prepare, put=replace)


def create(
    root: int, relative: StrPath, content: bytes, *, mode: int = PRIVATE
) -> None:
    """Make the file *relative* as `write` does, unless something is there already.

    The name never stands for less than all of *content*.

    Raises:
        ExistsError: If anything is there, a link that leads nowhere included.
    """
    parent, name = locate(root, printable(relative))
    with parent:
        path = path_below(parent, name)
        if _status(parent, name, path):
            from crewmem.errors.registry import ExistsError

            raise ExistsError(path)
        temporary = temporary_name(name)

        def prepare() -> None:
            stage(parent, temporary, content, mode)

        publish(parent, temporary, name, prepare=prepare, put=claim)


def adopt(root: int, temporary: str, relative: StrPath) -> None:
    """Give *temporary*, a whole file beside it, the name *relative*, durably.

    For what something else has written, as SQLite a database. It gets the
    permissions and the owner of what it replaces. When this fails, `discard` it.

    Raises:
        As `write`.
    """
    [source] = components(temporary)
    parent, name = locate(root, printable(relative))
    with parent:
        like = before(parent, name, path_below(parent, name))

        def prepare() -> None:
            opened = os.open(source, LEAF, dir_fd=parent)
            try:
                finish(opened, parent, like)
            finally:
                os.close(opened)

        publish(parent, source, name, prepare=prepare, put=replace)


def remove(root: int, relative: StrPath) -> None:
    """Remove the file *relative* below *root*, durably; of a link, the link.

    Raises:
        PathMissingError: If nothing is there.
        UnsafePathError: If it is a directory.
    """
    parent, name = locate(root, relative)
    with parent:
        path = path_below(parent, name)
        status = _status(parent, name, path)
        if status and stat.S_ISDIR(status.st_mode):
            raise not_a_file(path, status.st_mode)
        with explained(path, "remove"):
            os.unlink(name, dir_fd=parent)
        settle(parent, path)


def discard(root: int, relative: StrPath) -> bool:
    """Remove the file *relative* if it is there and can be; tell whether it was."""
    parent, name = locate(root, relative)
    with parent:
        return discard_staged(parent, name)


def _status(parent: Directory, name: str, path: str) -> os.stat_result | None:
    with explained(path, "write"):
        try:
            return os.lstat(name, dir_fd=parent)
        except FileNotFoundError:
            return None


def before(parent: Directory, name: str, path: str) -> os.stat_result | None:
    """Return what the file is like that is to be replaced, None if there is none."""
    status = _status(parent, name, path)
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path, status.st_mode)
    if not status.st_mode & 0o222:  # a rename would not ask
        raise NotWritableError(path, "it is marked read-only")
    return status
