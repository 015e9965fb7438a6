"""Writing a bundle: into a directory, or into one packed file. Same state, same bytes.

Whoever is interrupted leaves whole files, and in a directory a manifest that says that
it is not finished; running it again comes to the same.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem import disk
from crewmem.bundles.manifest import (
    MANIFEST,
    MANIFEST_MOST,
    Item,
    Manifest,
    is_manifest,
    spelled,
)
from crewmem.bundles.manifest import read as read_manifest
from crewmem.bundles.names import trouble
from crewmem.errors import CrewmemError
from crewmem.errors.bundles import NotABundleError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import DiskError, PathMissingError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from crewmem.bundles.part import Part

    Tell = Callable[[int, int], None]

PACKED = (".tar.gz", ".tgz")
"""Endings of a bundle that is one file."""

LEVEL = 6
"""Of compression: on notes, 9 takes half as long again and saves next to nothing."""

GZIP = 31
"""What zlib calls a gzip; its header has no name and no time."""

BLOCK, RECORD = 512, 10_240
"""Bytes of a block of a tar, and what all of it is filled up to."""


class Put(NamedTuple):
    """What was written.

    Attributes:
        sha256: Of the manifest, and so of everything.
        written: Files that are new or other than before.
        unchanged: Files that were there as they are.
        removed: Files of the bundle that was there before.
    """

    sha256: str
    written: int
    unchanged: int = 0
    removed: int = 0


def is_packed(out: str) -> bool:
    """Tell whether *out* names one file rather than a directory."""
    return out.endswith(PACKED)


def put_packed(
    out: Path, parts: Sequence[Part], holds: Sequence[str], tell: Tell | None = None
) -> Put:
    """Make the file *out* a bundle of *parts*, durably, or leave it as it was.

    Raises:
        NotWritableError: If it may not be written.
        DiskError: If the disk is full or fails.
    """
    manifest = _manifest(parts, holds)
    with disk.make_root(out.parent) as root:
        disk.write_pieces(root, out.name, _packed(_tar(manifest, parts, tell)))
    return Put(_digest(manifest), len(parts) + 1)


def _manifest(parts: Iterable[Part], holds: Sequence[str]) -> bytes:
    return spelled(Manifest(tuple(part.item for part in parts), tuple(holds)))


def _digest(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import zlib

    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _tar(manifest: bytes, parts: Sequence[Part], tell: Tell | None) -> Iterator[bytes]:
    """Yield a tar, the manifest first: no times, no owners, names in order."""
    size = 0
    for piece in _members(manifest, parts, tell):
        size += len(piece)
        yield piece
    end = size + 2 * BLOCK
    yield bytes(2 * BLOCK + -end % RECORD)


def _members(
    manifest: bytes, parts: Sequence[Part], tell: Tell | None
) -> Iterator[bytes]:
    yield _header(MANIFEST, len(manifest))
    yield manifest
    yield bytes(-len(manifest) % BLOCK)
    ordered = sorted(parts, key=lambda part: part.item.path)
    for number, part in enumerate(ordered, 1):
        yield _header(part.item.path, part.item.bytes)
        yield from _checked(part)
        yield bytes(-part.item.bytes % BLOCK)
        if tell:
            tell(number, len(parts))


def _header(name: str, size: int) -> bytes:
    import tarfile

    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(tarfile.PAX_FORMAT)


def _checked(part: Part) -> Iterator[bytes]:
    """Yield what *part* holds, if that is still what the manifest says.

    Raises:
        DiskError: If it changed meanwhile.
    """
    from hashlib import sha256

    digest = sha256()
    size = 0
    for piece in part.pieces():
        digest.update(piece)
        size += len(piece)
        if size > part.item.bytes:
            break
        yield piece
    if size != part.item.bytes or digest.hexdigest() != part.item.sha256:
        raise DiskError(part.item.path, "export", "it changed meanwhile")


# A directory


def put_folder(
    out: Path, parts: Sequence[Part], holds: Sequence[str], tell: Tell | None = None
) -> Put:
    """Make the directory *out* a bundle of *parts*.

    It is new, or empty but for what is hidden, or holds a bundle: then files of that
    go that are no longer there, and what else is in it is left alone.

    Raises:
        NotABundleError: If it holds something else.
        UnsafePathError: If a link is in the way.
        DiskError: If the disk is full or fails.
    """
    with disk.make_root(out) as root:
        before = _before(root, out)
        manifest = _manifest(parts, holds)
        now = {part.item.path: part for part in parts}
        gone = sorted(before.keys() - now.keys())
        if not _holds(root, MANIFEST, manifest):
            every = {**before, **{path: part.item for path, part in now.items()}}
            started = Manifest(tuple(every.values()), is_complete=False)
            disk.write(root, MANIFEST, spelled(started))
        written = 0
        for number, path in enumerate(sorted(now), 1):
            written += _put(root, now[path])
            if tell:
                tell(number, len(now))
        removed = sum(_remove(root, path) for path in gone)
        if not _holds(root, MANIFEST, manifest):
            disk.write(root, MANIFEST, manifest)
    return Put(_digest(manifest), written, len(parts) - written, removed)


def _before(root: disk.Directory, out: Path) -> dict[str, Item]:
    """Return what the bundle in *root* held, if there is one."""
    try:
        content = disk.read(root, MANIFEST, limit=MANIFEST_MOST)
    except PathMissingError as error:
        names = os.listdir(root)  # noqa: PTH208 - of a descriptor
        if any(not name.startswith(".") for name in names):
            raise NotABundleError(out) from error
        return {}
    except InputTooLargeError as error:
        raise NotABundleError(out) from error
    if not is_manifest(content):
        raise NotABundleError(out)
    items = read_manifest(content, str(out)).items
    return {item.path: item for item in items if not trouble(item.path)}


def _put(root: disk.Directory, part: Part) -> bool:
    """Write *part*, unless it is there as it is; tell whether it was written."""
    if _is_there(root, part):
        return False
    if folder := part.item.path.rpartition("/")[0]:
        disk.make_dirs(root, folder)
    disk.write_pieces(root, part.item.path, _checked(part))
    return True


def _is_there(root: disk.Directory, part: Part) -> bool:
    from hashlib import sha256

    digest = sha256()
    with suppress(CrewmemError), disk.open_file(root, part.item.path) as file:
        if file.stat.st_size == part.item.bytes:
            while piece := os.read(file, 1 << 20):
                digest.update(piece)
            return digest.hexdigest() == part.item.sha256
    return False


def _holds(root: disk.Directory, name: str, content: bytes) -> bool:
    try:
        return disk.read(root, name, limit=MANIFEST_MOST) == content
    except CrewmemError:
        return False


def _remove(root: disk.Directory, path: str) -> bool:
    """Remove the file *path* of a former bundle, and directories it leaves empty."""
    try:
        disk.remove(root, path)
    except CrewmemError:
        return False
    folder = path.rpartition("/")[0]
    with suppress(CrewmemError):
        while folder:
            disk.remove_empty(root, folder)
            folder = folder.rpartition("/")[0]
    return True
