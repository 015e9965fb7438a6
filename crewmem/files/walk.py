"""Walking a memory directory: names and stamps of what is in it, by descriptors.

Each directory is opened relative to its parent's descriptor and never through a
link, so a swap while we walk leads nowhere. Nothing is written, not even a
timestamp where the system lets us ask for that.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from crewmem.disk.paths import step
from crewmem.errors import CrewmemError
from crewmem.files.listing import ODD, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 64
"""Levels of directories that are entered; a descriptor is held for each."""

ENDINGS = frozenset({".md", ".MD", ".Md", ".mD"})
"""Of a memory file's name."""

KIND, REGULAR, FOLDER = 0o170000, 0o100000, 0o040000
"""Of a mode: what says which kind of thing it is, and two of these. POSIX has them;
the functions of ``stat`` cost a call each."""


class Found(NamedTuple):
    """One directory as it was met.

    Attributes:
        path: Below the memory directory; "" is that directory itself.
        listing: What in it is named like a memory file, as `listing.pack` has it.
        trouble: Why the directory could not be listed, else "".
    """

    path: str
    listing: bytes
    trouble: str = ""


def walk(root: int) -> Iterator[Found]:
    """List *root*, a directory's descriptor, and all directories below it.

    Hidden names and links to directories are passed over. A directory that cannot
    be listed is yielded with its trouble; the rest is walked all the same.
    """
    yield from _walk(root, "")


def _walk(directory: int, path: str) -> Iterator[Found]:
    found, folders = _list(path, directory)
    yield found
    for name in folders:
        below = f"{path}/{name}" if path else name
        if trouble := _trouble(below):
            yield Found(visible(below), pack([], []), trouble)
            continue
        try:
            entered = step(directory, name)
        except CrewmemError as error:
            yield Found(below, pack([], []), reason(error))
            continue
        with entered:
            yield from _walk(entered, below)


def _list(path: str, directory: int) -> tuple[Found, list[str]]:
    """Return what is in *directory*, and the names of its directories.

    This loop is most of a search of a large tree: one stat a file, and no more.
    """
    names: list[str] = []
    stamps: list[int] = []
    folders: list[str] = []
    trouble = ""
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                name = entry.name
                if name[-3:] not in ENDINGS or name[0] == ".":
                    if name[0] != "." and entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if status.st_mode & KIND == FOLDER:
                    folders.append(name)
                    continue
                names.append(name)
                stamps += (
                    status.st_size if status.st_mode & KIND == REGULAR else ODD,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                    status.st_ino,
                )
    except OSError as error:
        trouble = (error.strerror or str(error)).lower()
    return Found(path, pack(names, stamps), trouble), folders


def _trouble(path: str) -> str:
    if path.count("/") >= DEEPEST:
        return "nested too deeply"
    return "" if visible(path) == path else "its name is not UTF-8"


def visible(name: str) -> str:
    """Spell *name* so that it can be stored, also when it is not UTF-8."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def reason(error: CrewmemError) -> str:
    """Return the cause of *error* without the path that is said beside it."""
    return str(getattr(error, "reason", error))
