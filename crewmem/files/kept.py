"""Contents of versions: each once, by its hash, in the home's ``versions/``.

They are compressed, for their owner alone, on the disk before anything refers to
them, and what is read is what was kept or nothing.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.versions import ContentDamagedError, ContentMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSIONS = "versions"
"""Directory of the home that holds them."""

LEVEL = 6
"""Of compression: on notes, 9 takes half as long again and saves next to nothing."""

MOST = 1 << 30
"""Most bytes of a content: no setting lets a memory file be larger."""

DIGITS = frozenset("0123456789abcdef")
HASH_DIGITS, FOLDER_DIGITS = 64, 2


class Kept:
    """The contents that the home *home* keeps."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def put(self, content: bytes) -> str:
        """Keep *content*, durably; return its hash.

        What is there is written again: another may have been killed before its name
        was on the disk, and a damaged one is whole again.
        """
        name = sha256(content)
        with disk.open_root(self._home) as root:
            disk.make_dirs(root, f"{VERSIONS}/{name[:FOLDER_DIGITS]}")
            disk.write(root, path_of(name), zlib.compress(content, LEVEL))
        return name

    def get(self, name: str) -> bytes:
        """Return the content whose hash is *name*.

        Raises:
            ContentMissingError: If it is not there.
            ContentDamagedError: If what is there is another.
        """
        where = self.path(name)
        try:
            with disk.open_root(self._home) as root:
                packed = disk.read(root, path_of(name), limit=MOST)
        except PathMissingError as error:
            raise ContentMissingError(where) from error
        except InputTooLargeError as error:
            raise ContentDamagedError(where) from error
        content = _unpacked(packed)
        if content is None or sha256(content) != name:
            raise ContentDamagedError(where)
        return content

    def has(self, name: str) -> bool:
        """Tell whether there is anything under the hash *name*."""
        return self.size(name) > 0

    def size(self, name: str) -> int:
        """Return how many bytes the hash *name* takes; 0 if nothing is there."""
        status = self.status(name)
        return status.st_size if status else 0

    def status(self, name: str) -> os.stat_result | None:
        """Return what the file of the hash *name* is like; None if it is not there."""
        try:
            with (
                disk.open_root(self._home) as root,
                disk.open_file(root, path_of(name)) as file,
            ):
                return file.stat
        except PathMissingError:
            return None

    def drop(self, name: str) -> int:
        """Remove the content whose hash is *name*; return the bytes that it took."""
        size = self.size(name)
        try:
            with disk.open_root(self._home) as root:
                disk.remove(root, path_of(name))
        except PathMissingError:
            return 0
        return size

    def path(self, name: str) -> Path:
        """Return where the content with the hash *name* is."""
        return self._home / path_of(name)

    def names(self) -> Iterator[str]:
        """Yield the hashes of all that is there, in order."""
        with (
            suppress(PathMissingError),
            disk.open_root(self._home) as root,
            disk.open_directory(root, VERSIONS) as versions,
        ):
            for folder in _listed(versions):
                if len(folder) == FOLDER_DIGITS and DIGITS.issuperset(folder):
                    with disk.open_directory(versions, folder) as directory:
                        yield from filter(is_hash, _listed(directory))


def path_of(name: str) -> str:
    """Return where, below the home, the content with the hash *name* is."""
    return f"{VERSIONS}/{name[:FOLDER_DIGITS]}/{name}"


def is_hash(name: str) -> bool:
    """Tell whether *name* is a hash."""
    return len(name) == HASH_DIGITS and DIGITS.issuperset(name)


def _listed(directory: disk.Directory) -> list[str]:
    return sorted(os.listdir(directory))  # noqa: PTH208 - of a descriptor


def _unpacked(packed: bytes) -> bytes | None:
    """Return what `put` made *packed* of; None if it cannot have."""
    try:
        reader = zlib.decompressobj()
        content = reader.decompress(packed, MOST)
    except zlib.error:
        return None
    return content if reader.eof and not reader.unused_data else None
