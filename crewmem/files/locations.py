"""Memory directories: where they are, whose they are, and how their files are named."""

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
"""Folders of other directories that hold other people's markdown. Hidden ones are skipped too."""

MAX_DEPTH = 64
"""Levels of folders that are entered."""


class MemoryDirectory(NamedTuple):
    """A memory directory.

    Attributes:
        crew: The crew that it is of, or that its agent is at home in; "" when nobody knows.
        agent: The agent that it is of; "" for none, or when nobody knows.
        prefix: Stands before its files in references: ``crew:harbor/``; in a tree the path
            below what was named.
        has_tiers: Whether its files have tiers; else it is any directory of markdown.
    """

    path: Path
    scope: Scope
    crew: str = ""
    agent: str = ""
    prefix: str = ""
    has_tiers: bool = True

    def tier_of(self, file: str) -> str:
        """Return the tier of a file below it."""
        return tier_of(file, self.scope, has_tiers=self.has_tiers)

    def read_rule(self, access: Access, tier: str = "") -> str:
        """Return the rule that forbids reading its files, or those of a tier; "" for none."""
        return access.file_read_rule(self.scope, self.crew, self.agent, tier)

    @property
    def owner(self) -> str:
        """Crew and agent as hits name them: ``harbor``, ``harbor/winch`` or ""."""
        return "/".join(name for name in (self.crew, self.agent) if name)


class Target(NamedTuple):
    """A memory file to read or write.

    Attributes:
        root: What the path is confined to: no component below it may be a link.
        file: Path below the memory directory.
    """

    directory: MemoryDirectory
    file: str
    tier: str
    root: Path

    @property
    def reference(self) -> str:
        """The file as people name it."""
        return self.directory.prefix + self.file

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.directory.path / self.file

    @property
    def relative(self) -> str:
        """Its path below the root."""
        return str(self.path.relative_to(self.root))

    def read(self) -> bytes:
        """Return its content, whoever may read it; errors are those of `read_file`."""
        return read_file(self.root, self.relative)


class Reference(NamedTuple):
    """A file as people name it, perhaps with lines.

    Attributes:
        scope: Whose file it is; None for a plain path.
        file: Path below the memory directory; for a plain path, what was typed.
        first_line: 0 for the whole file.
        is_link: Whether what was typed is a link as notes write it: ``[[Deploys]]``.
    """

    scope: Scope | None
    crew: str
    agent: str
    file: str
    first_line: int = 0
    last_line: int = 0
    is_link: bool = False


def parse_memory_file(reference: str) -> Reference:
    """Parse the reference of a memory file that another home or program named.

    Raises:
        CrewmemError: If it cannot be one.
    """
    found = parse_reference(reference)
    if found.scope is None or found.first_line:
        raise UsageError(f"{reference!r} is not a memory file", code="bad-file-name")
    for name in reference.partition(":")[2].split("/"):
        check_name(name)
        check_file_name(name)
    return found


def parse_reference(text: str) -> Reference:
    """Parse a reference, a plain path, or a link.

    References are ``crew:harbor/topics/deploys.md:12-23``, ``agent:harbor/winch/AGENT.md:3``
    and ``workspace:NOTES.md``; a link is as notes write it: ``[[Deploys]]``.

    Raises:
        UsageError: If lines do not count from 1, or a name is missing.
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
                f"lines {match[0][1:]} are not a range: they count from 1", code="bad-lines"
            )
    kind, colon, rest = text.partition(":")
    if not colon or kind not in (Scope.AGENT, Scope.CREW, Scope.WORKSPACE):
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
    """Return the name of the files about a person, which names nobody."""
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
    """Return the names of the directories in *path*, sorted; none when it cannot be listed."""
    try:
        with os.scandir(path) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
