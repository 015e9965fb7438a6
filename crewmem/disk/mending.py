"""Setting right what is there: permissions, and directories that are empty."""

from __future__ import annotations

import os
import stat

from crewmem.disk.failures import failure, not_a_file
from crewmem.disk.paths import locate, path_below
from crewmem.disk.staging import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.paths import StrPath

UNREAD = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW
"""How a file is held whose bits are set. Where the system can, it is not opened: the
one of a database would take SQLite's locks along when it is closed."""


def set_mode(root: int, relative: StrPath, mode: int) -> None:
    """Give the file *relative* below *root*, or *root* itself for "", these bits.

    Raises:
        PathMissingError: If nothing is there.
        UnsafePathError: If it is a link, directory, FIFO, socket or device.
        NotWritableError: If it is another's.
    """
    if not os.fspath(relative):
        _set(root, path_below(root), mode)
        return
    parent, name = locate(root, relative)
    with parent:
        path = path_below(parent, name)
        try:
            held = os.open(name, UNREAD, dir_fd=parent)
        except OSError as error:
            raise failure(error, path, "change") from error
        try:
            found = os.fstat(held).st_mode
            if not stat.S_ISREG(found):
                raise not_a_file(path, found)
            named = f"/proc/self/fd/{held}" if hasattr(os, "O_PATH") else held
            _set(named, path, mode)
        finally:
            os.close(held)


def _set(what: int | str, path: str, mode: int) -> None:
    try:
        os.chmod(what, mode)  # noqa: PTH101 - a descriptor
    except OSError as error:
        raise failure(error, path, "change") from error


def remove_empty(root: int, relative: StrPath) -> None:
    """Remove the empty directory *relative* below *root*, durably.

    Raises:
        PathMissingError: If nothing is there.
        DiskError: If it is not empty.
    """
    parent, name = locate(root, relative)
    with parent:
        path = path_below(parent, name)
        try:
            os.rmdir(name, dir_fd=parent)
        except OSError as error:
            raise failure(error, path, "remove") from error
        settle(parent, path)
