"""Reading one memory file, as its name stands in what a search prints."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

from crewmem import disk
from crewmem.disk.names import components
from crewmem.errors.disk import NotADirectoryPathError, PathMissingError
from crewmem.errors.files import (
    LinesMissingError,
    MemoryFileAmbiguousError,
    MemoryFileMissingError,
)
from crewmem.errors.registry import OutOfScopeError
from crewmem.files.folders import open_place
from crewmem.files.place import RULE
from crewmem.files.target import shown
from crewmem.files.tiers import Tier, tier_of
from crewmem.files.walk import ENDINGS
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from crewmem.files.place import Place
    from crewmem.scope import Sight


class Document(NamedTuple):
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
        withheld: Rules by which all of the text, or the secrets in it, are kept back.
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
    withheld: tuple[str, ...] = ()


LINE_DIGITS = 9
"""Most digits of a line's number; more are a part of a name, and no number at all."""

PERSONS = "users/ and peers/ are for operators"
"""Why what is known of persons is not open to somebody."""


class Name(NamedTuple):
    """A file as it was named, and the lines that were asked for."""

    file: str
    first: int | None = None
    last: int | None = None


class Candidate(NamedTuple):
    """A file that a name could stand for, be it there or not.

    Attributes:
        file: Its path below the memory directory.
        is_whole: Whether the name says that it is of this place and no other.
    """

    place: Place
    file: str
    is_whole: bool


def parsed(name: str) -> Name:
    """Split *name* into the file and the lines, as in ``AGENT.md:3-7``."""
    file, colon, lines = name.rpartition(":")
    first, _, last = lines.partition("-")
    numbers = [number for number in (first, last) if number]
    is_range = first and all(map(_is_number, numbers)) and lines[-1:] != "-"
    if colon and file and is_range:
        return Name(file, int(first), int(last or first))
    return Name(name)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= LINE_DIGITS


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
    directory, and by its ref. Of *places* those are left out that are not open to
    *sight*; what is named there is refused, whether there is such a file or not.

    Raises:
        MemoryFileMissingError: If none does, or it is no memory file.
        MemoryFileAmbiguousError: If more than one does.
        OutOfScopeError: If it is not for an actor of *sight*.
        LinesMissingError: If it ends before the lines that were asked for.
    """
    place, file = named(places, name.file, sight, cwd=cwd, base=base)
    return _document(place, file, name, limit)


def named(
    places: Sequence[Place],
    name: str,
    sight: Sight,
    *,
    cwd: Path,
    base: Path,
    is_known: Callable[[Place, str], bool] | None = None,
) -> tuple[Place, str]:
    """Return the place and the file below it that go by *name*, as `read` has it.

    Where no such file is there, one counts that *is_known* though it is gone.

    Raises:
        As `read`.
    """
    found: list[Candidate] = []
    gone: list[Candidate] = []
    refused: list[OutOfScopeError] = []
    for each in _candidates(places, name, cwd, base):
        place, file, is_whole = each
        if rule := _closed(place, file, sight):
            if is_whole or rule is PERSONS or not _any_open(places, sight):
                what = f"read {place.ref(file)}"
                refused.append(OutOfScopeError(str(sight.actor), what, rule))
        elif not _is_memory_file(file):
            continue
        elif _is_there(place, file):
            found.append(each)
        elif is_known and is_known(place, file):
            gone.append(each)
    meant = _whole(found) or _whole(gone) or found or gone
    if not meant:
        if not refused:
            components(name.lstrip("/"))  # or it leads up, and that is said
        raise refused[0] if refused else MemoryFileMissingError(shown(name))
    if len(meant) > 1:
        refs = [each.place.ref(each.file) for each in meant]
        raise MemoryFileAmbiguousError(name, refs)
    return meant[0].place, meant[0].file


def _whole(found: Iterable[Candidate]) -> list[Candidate]:
    """Return those of *found* whose place the name itself says.

    In a memory directory ``pins.md`` is the one that lies there, as a search prints it,
    and not a namesake.
    """
    return [each for each in found if each.is_whole]


def _candidates(
    places: Iterable[Place], named: str, cwd: Path, base: Path
) -> Iterator[Candidate]:
    """Yield what *named* could stand for, at most one file of each of *places*."""
    for place in places:
        prefix = place.ref("")
        if named.startswith(prefix):
            yield Candidate(place, named[len(prefix) :], is_whole=True)
        elif below := _below(place, named, cwd, base):
            yield Candidate(place, below, is_whole=True)
        elif not {".", ".."}.intersection(named.split("/")) and named[:1] != "/":
            yield Candidate(place, named, is_whole=False)


def _below(place: Place, named: str, cwd: Path, base: Path) -> str:
    """Return where below *place* the path *named* leads, from *cwd* or *base* on.

    "" if it leads elsewhere.
    """
    from os.path import normpath

    roots = (place.path, place.path.resolve())
    for above in (cwd, base):
        absolute = above / named
        if ".." in absolute.parts:
            absolute = type(absolute)(normpath(absolute))
        for root in roots:
            if absolute.is_relative_to(root) and absolute != root:
                return absolute.relative_to(root).as_posix()
    return ""


def _closed(place: Place, file: str, sight: Sight) -> str:
    """Return the rule by which *file* is not open to an actor of *sight*, else ""."""
    if not place.is_open_to(sight):
        return RULE
    return PERSONS if _tier(place, file) in place.hidden_tiers(sight) else ""


def _any_open(places: Sequence[Place], sight: Sight) -> bool:
    return any(place.is_open_to(sight) for place in places)


def _tier(place: Place, file: str) -> Tier:
    return tier_of(file, workspace=place.scope is Scope.WORKSPACE)


def _is_memory_file(file: str) -> bool:
    """Tell whether *file* is named as one that a walk of the directory lists.

    Raises:
        UnsafePathError: If it leads out of the directory.
    """
    hidden = any(name[0] == "." for name in components(file))
    return not hidden and file[-3:] in ENDINGS


def _is_there(place: Place, file: str) -> bool:
    try:
        with open_place(place) as root, disk.open_file(root, file):
            return True
    except (PathMissingError, NotADirectoryPathError):
        return False


def _lines(content: bytes) -> list[bytes]:
    """Return the lines of *content* as chunks count them, with their ends."""
    if b"\n" in content:
        return BytesIO(content).readlines()
    return content.splitlines(keepends=True)


def _document(
    place: Place, file: str, name: Name, limit: int
) -> tuple[Document, bytes]:
    with open_place(place) as root, disk.open_file(root, file) as opened:
        content = opened.read(limit)
        stat = opened.stat
    if name.first is not None and name.last is not None:
        lines = _lines(content)
        if name.first > len(lines):
            raise LinesMissingError(place.ref(file), name.first, len(lines))
        content = b"".join(lines[max(name.first - 1, 0) : name.last])
    return (
        Document(
            ref=place.ref(file),
            scope=place.scope,
            owner=place.owner,
            path=place.path / file,
            file=file,
            tier=_tier(place, file),
            bytes=stat.st_size,
            updated_at=datetime.fromtimestamp(stat.st_mtime_ns / 1e9, UTC),
            first_line=name.first or 1,
            text=content.decode("utf-8", "replace"),
        ),
        content,
    )
