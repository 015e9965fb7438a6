"""Moving a file elsewhere below its root, so that at every moment it has a name."""

from __future__ import annotations

import os
import stat

from crewmem.disk.durable import create, remove
from crewmem.disk.failures import explained, failure, not_a_file
from crewmem.disk.names import printable
from crewmem.disk.paths import locate, path_below, read
from crewmem.disk.staging import discard, settle
from crewmem.errors import CrewmemError
from crewmem.errors.disk import DiskError, NotDurableError
from crewmem.errors.registry import ExistsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.paths import Directory, StrPath

COPIED_MOST = 64 << 20
"""Most bytes that are copied where a disk has no links; no memory file is so large."""


def move(root: int, source: StrPath, target: StrPath) -> None:
    """Give the file *source* below *root* the name *target*, durably.

    It has both names for a moment, never none: who is killed finds it under the old
    one, or under both. Where a disk has no links it is copied, then removed. The
    directory of *target* must be there.

    Raises:
        ExistsError: If anything is called *target* already.
        PathMissingError: If *source* is not there, or the directory of *target*.
        UnsafePathError: If a name could lead out, goes through a link, or *source* is
            no file.
        NotWritableError: If one of the directories may not be written.
        DiskError: If the disk fails; *source* is where it was.
        NotDurableError: If it was moved, but that may not be on the disk.
    """
    above, old = locate(root, source)
    with above:
        into, new = locate(root, printable(target))
        with into:
            path = path_below(above, old)
            with explained(path, "move"):
                mode = os.lstat(old, dir_fd=above).st_mode
            if not stat.S_ISREG(mode):
                raise not_a_file(path, mode)
            if not _linked(above, old, into, new):
                create(root, target, read(root, source, limit=COPIED_MOST))
                remove(root, source)
                return
            _moved(above, old, into, new)


def _linked(above: Directory, old: str, into: Directory, new: str) -> bool:
    """Give *old* the name *new* as well; tell whether the disk can."""
    path = path_below(into, new)
    try:
        os.link(old, new, src_dir_fd=above, dst_dir_fd=into, follow_symlinks=False)
    except FileExistsError as error:
        raise ExistsError(path) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise failure(error, path, "move") from error
    except OSError:  # many file systems have no links, and many ways to say so
        return False
    return True


def _moved(above: Directory, old: str, into: Directory, new: str) -> None:
    """Take away the name *old*, once the name *new* is on the disk."""
    path = path_below(into, new)
    try:
        settle(into, path)
        with explained(path_below(above, old), "move"):
            os.unlink(old, dir_fd=above)
    except CrewmemError as error:
        if _is_there(above, old):  # else the new name is the only one
            discard(into, new)
        if isinstance(error, NotDurableError):
            raise DiskError(error.path, "move", error.reason) from error
        raise
    settle(above, path)


def _is_there(parent: Directory, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=parent)
    except OSError:
        return False
    return True
