"""Walking all that a directory holds, hidden names as well, for what is no memory.

Like files/walk.py it goes by descriptors and never through a link.
"""

from __future__ import annotations

import os
from enum import Enum

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.walk import DEEPEST, ENDINGS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(Enum):
    """What a stray is."""

    TEMPORARY = "temporary"
    LINK = "link"
    OTHER = "other"


class Stray(NamedTuple):
    """Something that no memory is in.

    Attributes:
        file: Path below the directory that was walked.
        kind: A temporary file of ours, a link to a directory, or what is not named as
            a memory file is, and is not hidden.
        mtime_ns: When it was last written; 0 if that does not matter.
    """

    file: str
    kind: Kind
    mtime_ns: int


def strays(directory: int, path: str = "") -> Iterator[Stray]:
    """Yield what is left behind in *directory* and below it, in order.

    What cannot be listed is passed over: whoever walks for files reports it.
    """
    folders: list[str] = []
    for name, kind, mtime_ns in _listed(directory):
        file = f"{path}/{name}" if path else name
        if kind is None:
            folders.append(name)
        else:
            yield Stray(file, kind, mtime_ns)
    for name in folders if path.count("/") < DEEPEST else ():
        try:
            entered = disk.open_directory(directory, name)
        except CrewmemError:
            continue
        with entered:
            yield from strays(entered, f"{path}/{name}" if path else name)


def _listed(directory: int) -> list[tuple[str, Kind | None, int]]:
    """Return the names of strays, and, with no kind, of directories."""
    try:
        with os.scandir(directory) as entries:
            found = [(entry.name, *_about(entry)) for entry in entries]
    except OSError:
        return []
    return sorted(
        (name, kind, mtime_ns) for name, kind, mtime_ns, is_wanted in found if is_wanted
    )


def _about(entry: os.DirEntry[str]) -> tuple[Kind | None, int, bool]:
    try:
        if entry.is_symlink():
            if entry.is_dir() and entry.name[0] != ".":
                return Kind.LINK, 0, True
            return Kind.OTHER, 0, _is_other(entry)
        if entry.is_dir(follow_symlinks=False):
            return None, 0, True
        if not disk.is_temporary(entry.name):
            return Kind.OTHER, 0, _is_other(entry)
        return Kind.TEMPORARY, entry.stat(follow_symlinks=False).st_mtime_ns, True
    except OSError:  # gone meanwhile
        return None, 0, False


def _is_other(entry: os.DirEntry[str]) -> bool:
    return entry.name[0] != "." and entry.name[-3:] not in ENDINGS
