"""Freshness: finds the memory files that have changed since they were indexed.

A walk takes one `scandir` a folder and one `stat` a file, relative to the folder's descriptor, and
computes a signature of each folder. If all signatures match the index, nothing has changed.
"""

import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import md5
from typing import NamedTuple

from crewmem.files.directories import SKIPPED_FOLDERS, MemoryDirectory
from crewmem.storage.filesystem import NOT_PLAIN, escape_name, is_plain_name

RACY_NS = 20_000_000
"""Resolution of file times. A file that was changed less than this before it was read may change
again with the same times, so its content is compared again next time."""

MAX_DEPTH = 64
"""Maximum depth of folders."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Fingerprint(NamedTuple):
    """The status of a file that shows whether it changed.

    Numbers are stored as their lower 64 bits. Programs can reset the modification time, but not the
    change time (ctime).
    """

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int


class Folder(NamedTuple):
    """A folder as found by a walk.

    Attributes:
        directory: Path of its memory directory.
        path: Path below the memory directory; "" for the directory itself.
        files: Its memory files; empty if the signature has not changed.
        problems: Names that end with ``.md`` but are not regular files, with the reason.
    """

    directory: str
    path: str
    signature: bytes
    files: Sequence[tuple[str, os.stat_result]] = ()
    problems: Sequence[tuple[str, str]] = ()

    def fingerprints(self) -> dict[str, Fingerprint]:
        """Return the fingerprint of each file."""
        return {name: fingerprint_of(status) for name, status in self.files}


class StoredFile(NamedTuple):
    """A file in the index."""

    row: int
    fingerprint: Fingerprint
    sha256: bytes


class FolderChange(NamedTuple):
    """A folder whose signature differs from the index.

    Attributes:
        stored: Its files in the index, by name.
        suspects: Files that are new or may have changed.
        gone: Deleted files.
        moved: Files of the same size and time with another inode: the tree was copied.
    """

    folder: Folder
    stored: Mapping[str, StoredFile]
    suspects: list[str]
    gone: list[str]
    moved: list[str]


def wrap(number: int) -> int:
    """Return the lower 64 bits of *number* as a signed integer, as SQLite stores it.

    Times after the year 2262 and the inodes of some file systems are larger.
    """
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def fingerprint_of(status: os.stat_result) -> Fingerprint:
    """Return the fingerprint of a file with this status."""
    return Fingerprint(
        status.st_size, wrap(status.st_mtime_ns), wrap(status.st_ino), wrap(status.st_ctime_ns)
    )


Signatures = Mapping[tuple[str, str], bytes]
"""Signatures of folders, by path of the memory directory and path below it."""


def walk(directories: Sequence[MemoryDirectory], known: Signatures) -> Iterator[Folder]:
    """Yield the folders of memory directories, without following links.

    Hidden names are left out. A folder that cannot be listed is yielded with the reason.

    Args:
        directories: Memory directories to walk.
        known: Signatures in the index. Files are only listed for folders that differ.
    """
    for directory in directories:
        root = str(directory.path)
        skipped = () if directory.has_tiers else SKIPPED_FOLDERS
        try:
            descriptor = os.open(directory.path, _FOLDER_FLAGS)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield _make_unlisted(root, "", error)
            continue
        try:
            yield from _walk(root, descriptor, "", skipped, 0, known)
        finally:
            os.close(descriptor)


class _Listing(NamedTuple):
    """What a folder contains.

    Attributes:
        names: Names of the files.
        stats: Their stats.
        below: Names of the folders in it.
        problems: Name and reason of what is left out.
    """

    names: list[str]
    stats: list[os.stat_result]
    below: list[str]
    problems: list[tuple[str, str]]


def _list_folder(descriptor: int) -> _Listing:
    """List the markdown files and folders of a folder."""
    found = _Listing([], [], [], [])
    with os.scandir(descriptor) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if name[-3:] == ".md" or name[-3:].lower() == ".md":
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if not (name.isprintable() or is_plain_name(name)):
                    found.problems.append((escape_name(name), NOT_PLAIN))
                elif status.st_mode & 0o170000 == 0o100000:
                    found.names.append(name)
                    found.stats.append(status)
                elif stat.S_ISDIR(status.st_mode):
                    found.below.append(name)
                else:
                    found.problems.append((name, _describe_kind(status.st_mode)))
            elif entry.is_dir(follow_symlinks=False):
                if name.isprintable() or is_plain_name(name):
                    found.below.append(name)
                else:
                    found.problems.append((escape_name(name), NOT_PLAIN))
    return found


def _walk(
    root: str,
    descriptor: int,
    path: str,
    skipped: Sequence[str],
    depth: int,
    known: Signatures,
) -> Iterator[Folder]:
    """Yield a folder and those below it.

    Args:
        descriptor: Of the folder.
        path: Its path below *root*.
        skipped: Names of folders that are left out.
        depth: Number of folders around it.
        known: Signatures in the index.
    """
    try:
        names, stats, below, problems = _list_folder(descriptor)
    except OSError as error:
        yield _make_unlisted(root, path, error)
        return
    signature = _make_signature(names, stats, problems)
    if known.get((root, path)) == signature:
        yield Folder(root, path, signature)
    else:
        yield Folder(root, path, signature, list(zip(names, stats, strict=True)), problems)
    for name in below:
        if name in skipped:
            continue
        lower = f"{path}/{name}" if path else name
        if depth >= MAX_DEPTH:
            yield Folder(root, lower, b"deep", (), ((name, "nested too deeply"),))
            continue
        try:
            child = os.open(name, _FOLDER_FLAGS, dir_fd=descriptor)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield _make_unlisted(root, lower, error)
            continue
        try:
            yield from _walk(root, child, lower, skipped, depth + 1, known)
        finally:
            os.close(child)


def _make_unlisted(root: str, path: str, error: OSError) -> Folder:
    reason = (error.strerror or str(error)).lower()
    return Folder(root, path, reason.encode(), (), (("", f"cannot be listed: {reason}"),))


def _describe_kind(mode: int) -> str:
    return "a link" if stat.S_ISLNK(mode) else "not a regular file"


def _make_signature(
    names: Sequence[str], stats: Sequence[os.stat_result], problems: Sequence[tuple[str, str]]
) -> bytes:
    """Return the signature of a folder: a hash of the names and fingerprints of its files."""
    numbers = [status.st_size for status in stats]
    numbers += [status.st_mtime_ns for status in stats]
    numbers += [status.st_ctime_ns for status in stats]
    numbers += [status.st_ino for status in stats]
    try:
        packed = struct.pack(f"{len(numbers)}q", *numbers)
    except struct.error:
        packed = struct.pack(f"{len(numbers)}q", *map(wrap, numbers))
    listed = "\0".join([*names, "", *map(repr, problems)])
    return md5(packed + listed.encode("utf-8", "surrogateescape"), usedforsecurity=False).digest()


EMPTY = _make_signature((), (), ())
"""Signature of a folder without memory files."""


def compare(
    folders: Sequence[Folder],
    known: Signatures,
    load_stored: Callable[[Folder], Mapping[str, StoredFile]],
) -> list[FolderChange]:
    """Return the changes in folders whose signature differs from the index.

    If every known file has another inode, the tree was copied; then only size and time count.

    Args:
        folders: All folders of a walk.
        known: Signatures in the index.
        load_stored: Returns the files of a folder in the index, by name.
    """
    differing, is_copy = [], True
    for folder in folders:
        if known.get((folder.directory, folder.path)) != folder.signature:
            differing.append((folder, folder.fingerprints(), load_stored(folder)))
        elif folder.signature != EMPTY:
            is_copy = False
    is_copy = is_copy and not any(
        found[name].inode == stored[name].fingerprint.inode
        for _, found, stored in differing
        for name in found.keys() & stored.keys()
    )
    changes = []
    for folder, found, stored in differing:
        suspects: list[str] = []
        moved: list[str] = []
        for name, fingerprint in found.items():
            old = stored[name].fingerprint if name in stored else None
            if old == fingerprint:
                continue
            same = is_copy and old is not None and old[:2] == fingerprint[:2]
            (moved if same else suspects).append(name)
        gone = sorted(stored.keys() - found.keys())
        changes.append(FolderChange(folder, stored, sorted(suspects), gone, moved))
    return changes
