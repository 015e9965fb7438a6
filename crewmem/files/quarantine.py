"""Texts that were refused, kept aside for an operator to look at.

Each is a file in ``.quarantine/`` of the directory it was meant for, its owner's
alone, named by the hash of the text; what is known of it stands above the text.
"""

from __future__ import annotations

import os

from crewmem import disk, times
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.files import (
    QuarantineAmbiguousError,
    QuarantineDamagedError,
    QuarantineMissingError,
)
from crewmem.errors.values import PrefixTooShortError
from crewmem.files.folders import open_place
from crewmem.ids import SHORT_DIGITS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.files.place import Place

FOLDER = ".quarantine"

MODE = 0o600
"""Of a file: what is refused may be a secret."""

MOST = 64 << 20
"""Most bytes of a file that is read."""

HASH_DIGITS = 64

FENCE = "---\n"


class Refused(NamedTuple):
    """A text that was refused.

    Attributes:
        id: The sha256 of the text, by which it is named.
        ref: The file that it was meant for.
        file: The same, below its directory.
        tier: What kind of memory file that is.
        mode: append, or replace: whether the text was to be added, or the whole file.
        base: For replace, the sha256 of what the file said then; "" for a new one.
        rules: The rules by which it was refused.
        findings: What was found, and in which lines.
        by: Who wrote it.
        operation: What was done: append, replace, import …
        rejected_at: When.
        bytes: Of the text.
    """

    id: str
    ref: str
    file: str
    tier: str
    mode: str
    base: str
    rules: tuple[str, ...]
    findings: tuple[str, ...]
    by: str
    operation: str
    rejected_at: datetime
    bytes: int


FIELDS = Refused._fields[1:-1]
"""What stands above the text, in this order."""


def put(root: int, refused: Refused, text: bytes) -> None:
    """Keep *text*, which was *refused*, in the directory *root*, durably."""
    disk.make_dirs(root, FOLDER)
    content = _head(refused).encode("utf-8", "surrogateescape") + text
    disk.write(root, f"{FOLDER}/{refused.id}.md", content, mode=MODE)


def _head(refused: Refused) -> str:
    from json import dumps

    lines = [f"{name}: {dumps(_plain(getattr(refused, name)))}\n" for name in FIELDS]
    return FENCE + "".join(lines) + FENCE


def _plain(value: object) -> object:
    return times.to_text(value) if hasattr(value, "isoformat") else value  # type: ignore[arg-type]


def listed(place: Place) -> tuple[list[Refused], list[str]]:
    """Return what is in quarantine in *place*, oldest first, and what is damaged."""
    found: list[Refused] = []
    troubles: list[str] = []
    for name in _names(place):
        try:
            found.append(get(place, name)[0])
        except CrewmemError as error:
            troubles.append(str(error))
    return sorted(found, key=lambda each: (each.rejected_at, each.id)), troubles


def _names(place: Place) -> list[str]:
    """Return the hashes of all there is, in order."""
    try:
        with open_place(place) as root, disk.open_directory(root, FOLDER) as folder:
            names = os.listdir(folder)  # noqa: PTH208 - of a descriptor
    except PathMissingError:
        return []
    stems = (name.removesuffix(".md") for name in names if name.endswith(".md"))
    return sorted(stem for stem in stems if len(stem) == HASH_DIGITS)


def find(places: Sequence[Place], name: str) -> tuple[Place, str]:
    """Return where the text is whose hash is *name* or begins with it, and its hash.

    Raises:
        QuarantineMissingError: If there is none.
        QuarantineAmbiguousError: If there are several.
        PrefixTooShortError: If it is no hash, and short.
    """
    found: list[tuple[Place, str]] = []
    trouble: CrewmemError | None = None
    for place in places:
        try:
            found += [(place, each) for each in _names(place) if each.startswith(name)]
        except CrewmemError as error:
            trouble = error
    if len(name) < SHORT_DIGITS:
        raise PrefixTooShortError(name, SHORT_DIGITS)
    if not found:
        raise trouble or QuarantineMissingError(name)
    if len(found) > 1:
        several = [
            f"{each[:12]} of {place.owner or place.path}" for place, each in found
        ]
        raise QuarantineAmbiguousError(name, several)
    return found[0]


def get(place: Place, name: str) -> tuple[Refused, bytes]:
    """Return what is in quarantine as *name*, a whole hash, and its text.

    Raises:
        QuarantineMissingError: If it is not there.
        QuarantineDamagedError: If it is not what was put there.
    """
    file = f"{FOLDER}/{name}.md"
    try:
        with open_place(place) as root:
            content = disk.read(root, file, limit=MOST)
    except PathMissingError as error:
        raise QuarantineMissingError(name) from error
    refused = _parsed(name, content)
    if refused is None:
        raise QuarantineDamagedError(place.path / file)
    return refused, content[len(content) - refused.bytes :]


def _parsed(name: str, content: bytes) -> Refused | None:
    """Return what stands above the text; None if that is not what was put there."""
    from json import loads

    head, fence, text = content.removeprefix(FENCE.encode()).partition(
        f"\n{FENCE}".encode()
    )
    if not fence or sha256(text) != name:
        return None
    try:
        pairs = (line.split(": ", 1) for line in head.decode().split("\n"))
        said = {key: loads(value) for key, value in pairs}
        return Refused(
            id=name,
            ref=str(said["ref"]),
            file=str(said["file"]),
            tier=str(said["tier"]),
            mode=str(said["mode"]),
            base=str(said["base"]),
            rules=tuple(map(str, said["rules"])),
            findings=tuple(map(str, said["findings"])),
            by=str(said["by"]),
            operation=str(said["operation"]),
            rejected_at=times.from_text(str(said["rejected_at"])),
            bytes=len(text),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def damaged(place: Place, name: str) -> Refused:
    """Return what little is known of *name*, a whole hash, which is damaged.

    Raises:
        QuarantineMissingError: If it is not there.
    """
    from datetime import UTC, datetime

    try:
        with open_place(place) as root, disk.open_directory(root, FOLDER) as folder:
            status = os.lstat(f"{name}.md", dir_fd=folder)
    except (PathMissingError, FileNotFoundError) as error:
        raise QuarantineMissingError(name) from error
    return Refused(
        id=name,
        ref="",
        file="",
        tier="",
        mode="",
        base="",
        rules=(),
        findings=("it is not what was put there",),
        by="",
        operation="",
        rejected_at=datetime.fromtimestamp(status.st_mtime, UTC),
        bytes=status.st_size,
    )


def drop(place: Place, name: str) -> None:
    """Remove what is in quarantine as *name*, a whole hash, durably.

    Raises:
        QuarantineMissingError: If it is not there.
    """
    try:
        with open_place(place) as root:
            disk.remove(root, f"{FOLDER}/{name}.md")
    except PathMissingError as error:
        raise QuarantineMissingError(name) from error
