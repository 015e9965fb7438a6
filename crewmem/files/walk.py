"""Walking a memory directory: names and stamps of what is in it, by descriptors.

Each directory is opened relative to its parent's descriptor and never through a
link, so a swap while we walk leads nowhere. Nothing is written, not even a
timestamp where the system lets us ask for that.
"""

from __future__ import annotations

import os

from crewmem.disk.paths import step
from crewmem.errors import CrewmemError
from crewmem.files.listing import (
    NUMBERS,
    ODD,
    WIDTH,
    encoded,
    join,
    names_of,
    pack,
    restamped,
)
from crewmem.files.signs import UNKNOWN, folders_of, holds, sign
from crewmem.files.stamps import FOLDER, KIND, REGULAR, of_files, reader
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.files.listing import Stamp
    from crewmem.files.signs import Known

DEEPEST = 64
"""Levels of directories that are entered; a descriptor is held for each."""

ENDINGS = frozenset({".md", ".MD", ".Md", ".mD"})
"""Of a memory file's name."""


class Found(NamedTuple):
    """One directory as it was met.

    Attributes:
        path: Below the memory directory; "" is that directory itself.
        listing: What in it is named like a memory file, as `listing.pack` has it.
        trouble: Why the directory could not be listed, else "".
        sign: What tells whether the names in it are still these; b"" if nothing can.
    """

    path: str
    listing: bytes
    trouble: str = ""
    sign: bytes = b""


def walk(root: int, known: Known = UNKNOWN) -> Iterator[Found]:
    """List *root*, a directory's descriptor, and all directories below it.

    Hidden names and links to directories are passed over. A directory that cannot
    be listed is yielded with its trouble; the rest is walked all the same.

    What is *known* of the tree saves reading names, and changes no answer.
    """
    yield from _Walk(known).below(root, "")


class _Walk:
    """One walk of a tree of which something is known."""

    def __init__(self, known: Known) -> None:
        self._known = known
        held = sum(map(len, known.listings.values()))
        self._stamps = reader(held // (WIDTH * NUMBERS))

    def below(self, directory: int, path: str) -> Iterator[Found]:
        """List *directory*, which lies at *path*, and what is below it."""
        found, below = self._again(path, directory) or _list(path, directory)
        yield found
        for name in below:
            lower = f"{path}/{name}" if path else name
            if trouble := _trouble(lower):
                yield Found(visible(lower), pack({}), trouble)
                continue
            try:
                entered = step(directory, name)
            except CrewmemError as error:
                yield Found(lower, pack({}), reason(error))
                continue
            with entered:
                yield from self.below(entered, lower)

    def _again(self, path: str, directory: int) -> tuple[Found, list[str]] | None:
        """Return what is in *directory* if its names are known to be the same."""
        signed = self._known.signs.get(path)
        if not signed or not holds(signed, os.fstat(directory)):
            return None
        before = self._known.listings[path]
        names = names_of(before)
        stamps = None if names is None else self._stamps(directory, names)
        if stamps is None:
            return None
        return Found(path, restamped(before, stamps), sign=signed), folders_of(signed)


def _list(path: str, directory: int) -> tuple[Found, list[str]]:
    """Return what is in *directory*, and the names of its directories."""
    below: list[str] = []
    try:
        status = os.fstat(directory)  # before: what is added meanwhile changes it
        with os.scandir(directory) as found:
            entries = _candidates([*found], below)
        stamps = _of_files(entries)
        if stamps is None:
            listing = pack(_of_each(entries, below))
        else:
            listing = join(stamps, encoded([entry.name for entry in entries]))
    except OSError as error:
        trouble = (error.strerror or str(error)).lower()
        return Found(path, pack({}), trouble), below
    return Found(path, listing, sign=sign(status, below)), below


def _of_files(entries: list[os.DirEntry[str]]) -> bytes | None:
    """Return the packed stamps of *entries* where all of them are files.

    That is most of a search of a large tree: one stat a file, and hardly more.
    """
    try:
        return of_files([entry.stat(follow_symlinks=False) for entry in entries])
    except FileNotFoundError:
        return None


def _of_each(entries: list[os.DirEntry[str]], folders: list[str]) -> dict[str, Stamp]:
    """Return the stamps of *entries* by name; add the *folders* among them."""
    files: dict[str, Stamp] = {}
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        kind = status.st_mode & KIND
        if kind == FOLDER:
            folders.append(entry.name)
            continue
        size = status.st_size if kind == REGULAR else ODD
        times = status.st_mtime_ns, status.st_ctime_ns
        files[entry.name] = (size, *times, status.st_ino)
    return files


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
