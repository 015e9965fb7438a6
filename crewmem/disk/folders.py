"""Making directories, one name at a time, each on the disk before the next."""

from __future__ import annotations

import os

from crewmem.disk.failures import explained
from crewmem.disk.names import components, printable
from crewmem.disk.ownership import give
from crewmem.disk.paths import closed_on_failure, open_root, path_below, step, walk
from crewmem.errors.disk import PathMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.paths import Directory, StrPath

PRIVATE = 0o700
"""Mode of a new directory: memory is its owner's business."""


def make_root(path: StrPath, *, mode: int = PRIVATE) -> Directory:
    """Open the directory *path*, made with what is missing above it.

    Raises:
        NotADirectoryPathError: If a file is there, or above it.
        NotWritableError: If it may not be made.
    """
    try:
        return open_root(path)
    except PathMissingError:
        above, name = os.path.split(os.fspath(path).rstrip("/"))
    with make_root(above or ".", mode=mode) as parent:
        make_dirs(parent, name, mode=mode)
    return open_root(path)


def make_dirs(root: int, relative: StrPath, *, mode: int = PRIVATE) -> None:
    """Make the directory *relative* below *root*, with those above it.

    Those that are there are left as they are. *mode* is subject to the umask.

    Raises:
        UnsafePathError: If *relative* could lead out, or goes through a link.
        NotADirectoryPathError: If a file is in the way.
        NotWritableError: If it may not be made.
    """
    names = components(printable(relative))
    here = walk(root, ())
    for name in names:
        with here:
            here = _enter(here, name, mode)
    here.close()


def _enter(parent: Directory, name: str, mode: int) -> Directory:
    try:
        return step(parent, name)
    except PathMissingError:
        pass
    path = path_below(parent, name)
    with explained(path, "make"):
        try:
            os.mkdir(name, mode, dir_fd=parent)
        except FileExistsError:  # somebody was quicker
            return step(parent, name)
        from crewmem.disk.staging import settle

        made = step(parent, name)
        with closed_on_failure(made):
            give(made, parent)
            settle(parent, path)
    return made
