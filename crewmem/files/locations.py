"""Memory directories: their paths, their owners, and the references of their files."""

import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from crewmem.access import Access, Scope
from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import UsageError
from crewmem.files.tiers import check_file_name, tier_of
from crewmem.storage.filesystem import check_name, read_file

SKIPPED_FOLDERS = ("node_modules",)
"""Folders with other people's markdown, which are skipped. Hidden folders are skipped too."""

MAX_DEPTH = 64
"""Maximum depth of folders."""


class MemoryDirectory(NamedTuple):
    """A memory directory.

    Attributes:
        crew: Its crew, or the home crew of its agent; "" if unknown.
        agent: Its agent; "" if it has none or it is unknown.
        prefix: Start of the references of its files, such as ``crew:harbor/``; in a tree, the
            path from the named directory.
        has_tiers: Whether its files have tiers; False for a plain directory of markdown.
    """

    path: Path
    scope: Scope
    crew: str = ""
    agent: str = ""
    prefix: str = ""
    has_tiers: bool = True

    def tier_of(self, file: str) -> str:
        """Return the tier of a file in this directory."""
        return tier_of(file, self.scope, has_tiers=self.has_tiers)

    def read_rule(self, access: Access, tier: str = "") -> str:
        """Return the rule that forbids reading files (of a tier) here; "" if allowed."""
        return access.file_read_rule(self.scope, self.crew, self.agent, tier)

    @property
    def owner(self) -> str:
        """Crew and agent, as shown in hits: ``harbor``, ``harbor/winch`` or ""."""
        return "/".join(name for name in (self.crew, self.agent) if name)


class Target(NamedTuple):
    """A memory file to read or write.

    Attributes:
        root: Directory that confines the path: no component below it may be a link.
        file: Path below the memory directory.
    """

    directory: MemoryDirectory
    file: str
    tier: str
    root: Path

    @property
    def reference(self) -> str:
        """Reference of the file."""
        return self.directory.prefix + self.file

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.directory.path / self.file

    @property
    def relative(self) -> str:
        """Path below the root."""
        return str(self.path.relative_to(self.root))

    def read(self) -> bytes:
        """Return the content, without checking access; raises the errors of `read_file`."""
        return read_file(self.root, self.relative)


class Reference(NamedTuple):
    """A parsed reference of a file, or of lines of it.

    Attributes:
        scope: Scope of the file; None for a plain path.
        file: Path below the memory directory; a plain path as typed.
        first_line: 0 for the whole file.
        is_link: Whether it was a wiki link, such as ``[[Deploys]]``.
    """

    scope: Scope | None
    crew: str
    agent: str
    file: str
    first_line: int = 0
    last_line: int = 0
    is_link: bool = False

    @property
    def name(self) -> str:
        """The reference without lines."""
        owners = {Scope.CREW: f"crew:{self.crew}/", Scope.AGENT: f"agent:{self.crew}/{self.agent}/"}
        if self.scope is None:
            return self.file
        return owners.get(self.scope, "workspace:") + self.file


def parse_memory_file(reference: str) -> Reference:
    """Parse a reference of a memory file that came from another home or program.

    Raises:
        CrewmemError: If it is not a valid reference.
    """
    found = parse_reference(reference)
    if found.scope is None or found.first_line:
        raise UsageError(f"{reference!r} is not a memory file", code="bad-file-name")
    for name in reference.partition(":")[2].split("/"):
        check_name(name)
        check_file_name(name)
    return found


def parse_reference(text: str, *, is_path: bool = False) -> Reference:
    """Parse a reference, a plain path, or a link.

    References are ``crew:harbor/topics/deploys.md:12-23``, ``agent:harbor/winch/AGENT.md:3``
    and ``workspace:NOTES.md``; a wiki link is ``[[Deploys]]``.

    Args:
        text: The reference.
        is_path: Whether it names a file, even if it looks like a reference.

    Raises:
        UsageError: If the lines are not a range from 1, or a name is missing.
    """
    if match := re.fullmatch(r"\[\[([^\]|#]+)(?:[#|][^\]]*)?\]\]", text.strip()):
        return Reference(None, "", "", match[1].strip(), is_link=True)
    first = last = 0
    if match := re.search(r":(\d+)(?:-(\d+))?$", text):
        text = text[: match.start()]
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if not 1 <= first <= last:
            raise UsageError(
                f"{match[0][1:]} is not a range of lines: it counts from 1, upwards",
                code="bad-lines",
            )
    kind, colon, rest = text.partition(":")
    if is_path or not colon or kind not in (Scope.AGENT, Scope.CREW, Scope.WORKSPACE):
        return Reference(None, "", "", text, first, last)
    names = {Scope.AGENT: 2, Scope.CREW: 1, Scope.WORKSPACE: 0}[Scope(kind)]
    parts = rest.split("/", names)
    if len(parts) <= names or not all(parts):
        raise UsageError(
            f"'{text}' is not a reference: use crew:NAME/FILE, agent:CREW/SLUG/FILE or"
            " workspace:FILE",
            code="bad-reference",
        )
    crew, agent = (*parts[:names], "", "")[:2]
    return Reference(Scope(kind), crew, agent, parts[-1], first, last)


def format_lines(reference: str, first_line: int, last_line: int) -> str:
    """Return a reference with lines: ``crew:harbor/CREW.md:3-7``."""
    lines = f"{first_line}-{last_line}" if last_line > first_line else str(first_line)
    return f"{reference}:{lines}"


# In a home


def make_person_slug(person: str, workspace: str) -> str:
    """Return the pseudonym that names the files about a person."""
    return sha256(f"{person}\0{workspace}".encode()).hexdigest()[:16]


def find_home_directories(workspace_dir: Path) -> list[MemoryDirectory]:
    """Return the memory directories of a workspace: its own, its crews' and their agents'.

    Links are not followed.
    """
    found = []
    if is_directory(workspace_dir / MEMORY_DIRECTORY):
        path = workspace_dir / MEMORY_DIRECTORY
        found.append(MemoryDirectory(path, Scope.WORKSPACE, prefix="workspace:"))
    for crew in _directories(workspace_dir / "crews"):
        found += find_crew_directories(workspace_dir / "crews" / crew, crew, in_home=True)
    return found


def find_crew_directories(root: Path, crew: str, *, in_home: bool) -> Iterator[MemoryDirectory]:
    shared = root / "shared"
    if is_directory(shared) and is_directory(shared / MEMORY_DIRECTORY):
        prefix = f"crew:{crew}/" if in_home else ""
        yield MemoryDirectory(shared / MEMORY_DIRECTORY, Scope.CREW, crew, prefix=prefix)
    for agent in _directories(root / "agents"):
        path = root / "agents" / agent / MEMORY_DIRECTORY
        if is_directory(path):
            prefix = f"agent:{crew}/{agent}/" if in_home else ""
            yield MemoryDirectory(path, Scope.AGENT, crew, agent, prefix=prefix)


def is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _directories(path: Path) -> list[str]:
    """Return the sorted names of the directories in *path*; [] if it cannot be listed."""
    try:
        with os.scandir(path) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
