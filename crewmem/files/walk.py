"""Walking a memory directory: names and stamps of what is in it, by descriptors.

Each directory is opened relative to its parent's descriptor and never through a
link, so a swap while we walk leads nowhere. Nothing is written, not even a
timestamp where the system lets us ask for that.
"""

from __future__ import annotations

import os
from operator import attrgetter, itemgetter

from crewmem.disk.paths import step
from crewmem.errors import CrewmemError
from crewmem.files.listing import ODD, pack
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEEPEST = 64
"""Levels of directories that are entered; a descriptor is held for each."""

ENDINGS = frozenset({".md", ".MD", ".Md", ".mD"})
"""Of a memory file's name."""

KIND, REGULAR, FOLDER = 0o170000, 0o100000, 0o040000
"""Of a mode: what says which kind of thing it is, and two of these. POSIX has them;
the functions of ``stat`` cost a call each."""

MODE = itemgetter(0)
"""Of what a stat answers. By place: an attribute costs twice as much."""

STAMP: tuple[Callable[[os.stat_result], int], ...] = (
    itemgetter(6),
    attrgetter("st_mtime_ns"),
    attrgetter("st_ctime_ns"),
    itemgetter(1),
)
"""The same: size, times, which have no place, and inode."""


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
    """Return what is in *directory*, and the names of its directories."""
    names: list[str] = []
    stamps: list[int] = []
    folders: list[str] = []
    trouble = ""
    try:
        with os.scandir(directory) as found:
            entries = _candidates([*found], folders)
        try:
            names, stamps = _of_files(entries)
        except _UnusualError:
            _look_at_each(entries, names, stamps, folders)
    except OSError as error:
        trouble = (error.strerror or str(error)).lower()
    return Found(path, pack(names, stamps), trouble), folders


class _UnusualError(Exception):
    """What is named like a memory file is none, or is gone."""


def _of_files(entries: list[os.DirEntry[str]]) -> tuple[list[str], list[int]]:
    """Return the names and the stamps of *entries* where all of them are files.

    That is most of a search of a large tree: one stat a file, and hardly more.
    """
    try:
        found = [entry.stat(follow_symlinks=False) for entry in entries]
    except FileNotFoundError as error:
        raise _UnusualError from error
    for mode in set(map(MODE, found)):
        if mode & KIND != REGULAR:
            raise _UnusualError
    stamps = [0] * (len(STAMP) * len(found))
    for at, number in enumerate(STAMP):  # a column at once: no call for each file
        stamps[at :: len(STAMP)] = map(number, found)
    return [entry.name for entry in entries], stamps


def _look_at_each(
    entries: list[os.DirEntry[str]],
    names: list[str],
    stamps: list[int],
    folders: list[str],
) -> None:
    """Add the names and the stamps of *entries*, and the *folders* among them."""
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        kind, size = status.st_mode & KIND, status.st_size
        if kind == FOLDER:
            folders.append(entry.name)
            continue
        names.append(entry.name)
        stamps += (
            size if kind == REGULAR else ODD,
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_ino,
        )


def _candidates(
    entries: list[os.DirEntry[str]], folders: list[str]
) -> list[os.DirEntry[str]]:
    """Return what of *entries* is named like a memory file; add *folders* among them.

    Where all of them are, and most directories are such, no name is looked at alone.
    """
    joined = "\0".join([entry.name for entry in entries])
    if f"{joined}\0".count(".md\0") == len(entries) and "\0." not in f"\0{joined}":
        return entries
    named = []
    for entry in entries:
        if entry.name[0] == ".":
            continue
        if entry.name[-3:] in ENDINGS:
            named.append(entry)
        elif entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
    return named


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
