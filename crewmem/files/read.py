"""Reading one memory file, as its name stands in what a search prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import NamedTuple

from crewmem import disk
from crewmem.errors import (
    MemoryFileAmbiguousError,
    MemoryFileMissingError,
    NotADirectoryPathError,
    OutOfScopeError,
    PathMissingError,
)
from crewmem.files.tiers import Tier, tier_of
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crewmem.files.place import Place
    from crewmem.scope import Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A memory file.

    Attributes:
        ref: Its name, whatever directory is asked.
        scope: Agent, crew or workspace.
        owner: Whose it is, as ``crew/agent``; "" if unknown.
        path: The file on disk.
        file: The file below its memory directory.
        tier: What kind of memory file it is.
        bytes: Its size.
        updated_at: When it was last changed.
        first_line: The first line of *text*, counted from 1.
        text: What it says; bytes that are not UTF-8 are replaced.
    """

    ref: str
    scope: Scope
    owner: str
    path: Path
    file: str
    tier: str
    bytes: int
    updated_at: datetime
    first_line: int
    text: str


class Name(NamedTuple):
    """A file as it was named, and the lines that were asked for."""

    file: str
    first: int | None = None
    last: int | None = None


def parsed(name: str) -> Name:
    """Split *name* into the file and the lines, as in ``AGENT.md:3-7``."""
    file, colon, lines = name.rpartition(":")
    first, _, last = lines.partition("-")
    if colon and file and first.isdecimal() and (last.isdecimal() or not last):
        return Name(file, int(first), int(last or first))
    return Name(name)


def read(
    places: Sequence[Place],
    name: Name,
    sight: Sight,
    *,
    limit: int,
    cwd: Path,
    base: Path,
) -> tuple[Document, bytes]:
    """Return the file of *places* that goes by *name*, and its bytes as they are.

    A file goes by its path, from *cwd* or from *base* on, by its path below a memory
    directory, and by its ref.

    Raises:
        MemoryFileMissingError: If none does.
        MemoryFileAmbiguousError: If more than one does.
        OutOfScopeError: If it is not for an actor of *sight*.
    """
    found = [
        (place, file)
        for place in places
        for file in _candidates(place, name.file, cwd, base)
        if _is_there(place, file)
    ]
    if not found:
        raise MemoryFileMissingError(name.file)
    if len(found) > 1:
        refs = [place.ref(file) for place, file in found]
        raise MemoryFileAmbiguousError(name.file, refs)
    ((place, file),) = found
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    if tier in place.hidden_tiers(sight):
        rule = "users/ and peers/ are for operators"
        raise OutOfScopeError(str(sight.actor), f"read {place.ref(file)}", rule)
    return _document(place, file, tier, name, limit)


def _candidates(place: Place, named: str, cwd: Path, base: Path) -> Iterator[str]:
    """Yield the file of *place*, below its directory, that *named* could stand for."""
    prefix = place.ref("")
    if named.startswith(prefix):
        yield named[len(prefix) :]
        return
    for above in (cwd, base):
        absolute = above / named
        for root in (place.path, place.path.resolve()):
            if absolute.is_relative_to(root) and absolute != root:
                yield absolute.relative_to(root).as_posix()
                return
    if not named.startswith("/"):
        yield named


def _is_there(place: Place, file: str) -> bool:
    try:
        with disk.open_root(place.path) as root, disk.open_file(root, file):
            return True
    except (PathMissingError, NotADirectoryPathError):
        return False


def _document(
    place: Place, file: str, tier: Tier, name: Name, limit: int
) -> tuple[Document, bytes]:
    with disk.open_root(place.path) as root, disk.open_file(root, file) as opened:
        content = opened.read(limit)
        stat = opened.stat
    if name.first is not None and name.last is not None:
        lines = BytesIO(content).readlines()  # at line feeds only, as chunks are
        content = b"".join(lines[max(name.first - 1, 0) : name.last])
    return (
        Document(
            ref=place.ref(file),
            scope=place.scope,
            owner=place.owner,
            path=place.path / file,
            file=file,
            tier=tier,
            bytes=stat.st_size,
            updated_at=datetime.fromtimestamp(stat.st_mtime_ns / 1e9, UTC),
            first_line=name.first or 1,
            text=content.decode("utf-8", "replace"),
        ),
        content,
    )
