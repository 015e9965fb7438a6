"""Memory directories: where they are, whose they are, and how their files are named."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import NotFoundError, RefusedError, UsageError
from crewmem.files.tiers import tier_of

SKIPPED_FOLDERS = ("node_modules",)
"""Folders of other directories that hold other people's markdown. Hidden ones are skipped too."""

MEMORY_FILES = ("AGENT.md", "CREW.md", "PERSONA.md", "pins.md")
"""Files by which a memory directory is known that was copied under another name."""

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

    @property
    def owner(self) -> str:
        """Crew and agent as hits name them: ``harbor``, ``harbor/winch`` or ""."""
        return "/".join(name for name in (self.crew, self.agent) if name)


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


def find_home_directories(workspace_dir: Path) -> list[MemoryDirectory]:
    """Return the memory directories of a workspace: its own, its crews' and their agents'.

    Links are not followed.
    """
    found = []
    if _is_directory(workspace_dir / MEMORY_DIRECTORY):
        path = workspace_dir / MEMORY_DIRECTORY
        found.append(MemoryDirectory(path, Scope.WORKSPACE, prefix="workspace:"))
    for crew in _directories(workspace_dir / "crews"):
        found += _crew_directories(workspace_dir / "crews" / crew, crew, in_home=True)
    return found


def _crew_directories(root: Path, crew: str, *, in_home: bool) -> Iterator[MemoryDirectory]:
    shared = root / "shared"
    if _is_directory(shared) and _is_directory(shared / MEMORY_DIRECTORY):
        prefix = f"crew:{crew}/" if in_home else ""
        yield MemoryDirectory(shared / MEMORY_DIRECTORY, Scope.CREW, crew, prefix=prefix)
    for agent in _directories(root / "agents"):
        path = root / "agents" / agent / MEMORY_DIRECTORY
        if _is_directory(path):
            prefix = f"agent:{crew}/{agent}/" if in_home else ""
            yield MemoryDirectory(path, Scope.AGENT, crew, agent, prefix=prefix)


def _is_directory(path: Path) -> bool:
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


# In a tree named by --path


def find_tree_directories(
    path: Path, scope: Scope | None = None, *, workspace: str = "default"
) -> list[MemoryDirectory]:
    """Return the memory directories that *path* stands for.

    That is a ``.memory`` directory or its parent, a crew's root, an agent's directory with
    *scope* ``all`` (with its crew's), a home, or any directory with markdown in it.

    Raises:
        NotFoundError: If there is no markdown; it lists what was tried.
        RefusedError: If it cannot be listed.
    """
    path = Path(os.path.realpath(path))
    if not path.is_dir():
        raise NotFoundError(f"{path} is not a directory", code="path-not-found")
    if not os.access(path, os.R_OK | os.X_OK):
        raise RefusedError(f"cannot list {path}: permission denied", code="not-permitted")
    workspace_dir = path / "workspaces" / workspace
    if _is_directory(workspace_dir):
        return find_home_directories(workspace_dir)
    tried: list[Path] = []
    found = list(_tiered_directories(path, scope, tried))
    if not found:
        tried.append(path)
        if not _has_markdown(path):
            listed = ", ".join(map(str, tried))
            raise NotFoundError(
                f"there is no markdown at {path}; tried {listed}",
                code="no-markdown",
                details={"tried": list(map(str, tried))},
            )
        return [MemoryDirectory(path, Scope.WORKSPACE, has_tiers=False)]
    return _with_prefixes(found)


def _tiered_directories(
    path: Path, scope: Scope | None, tried: list[Path]
) -> Iterator[MemoryDirectory]:
    single = path if path.name == MEMORY_DIRECTORY else path / MEMORY_DIRECTORY
    crew_root = path.parent if path.name == "shared" else path
    tried.append(single)
    if _is_directory(single) and scope is not Scope.CREW:
        yield _identify(single)
        above = single.parent.parent
        if scope is Scope.ALL and above.name == "agents":
            yield from _crew_of(above.parent)
        return
    if path.name == MEMORY_DIRECTORY and path.parent.name == "shared":
        yield _identify(path)
        return
    tried += [crew_root / "shared" / MEMORY_DIRECTORY, crew_root / "agents"]
    found = list(_crew_directories(crew_root, _crew_name(crew_root), in_home=False))
    if found and (path == crew_root or scope is Scope.ALL):
        wanted = (Scope.CREW,) if scope is Scope.CREW else tuple(Scope)
        yield from (each for each in found if each.scope in wanted)
        return
    if found:
        yield from (each for each in found if each.scope is Scope.CREW)
        return
    if any((path / name).is_file() for name in MEMORY_FILES):
        yield _identify(path)


def _crew_of(root: Path) -> Iterator[MemoryDirectory]:
    for each in _crew_directories(root, _crew_name(root), in_home=False):
        if each.scope is Scope.CREW:
            yield each


def _crew_name(root: Path) -> str:
    """Return the crew whose root it is, as far as its path tells."""
    return root.name if root.parent.name == "crews" else ""


def _identify(path: Path) -> MemoryDirectory:
    """Tell whose a memory directory is by its path; else by its files."""
    above = path.parent if path.name == MEMORY_DIRECTORY else path
    if above.name == "shared":
        return MemoryDirectory(path, Scope.CREW, _crew_name(above.parent))
    if above.parent.name == "agents":
        return MemoryDirectory(path, Scope.AGENT, _crew_name(above.parent.parent), above.name)
    if above.parent.name == "workspaces":
        return MemoryDirectory(path, Scope.WORKSPACE)
    is_crew = (path / "CREW.md").is_file()
    return MemoryDirectory(path, Scope.CREW if is_crew else Scope.AGENT)


def _with_prefixes(found: Sequence[MemoryDirectory]) -> list[MemoryDirectory]:
    """Name the files of several directories by their path below what they share."""
    if len(found) == 1:
        return list(found)
    root = os.path.commonpath([each.path for each in found])
    return [
        MemoryDirectory(
            each.path,
            each.scope,
            each.crew,
            each.agent,
            os.path.relpath(each.path, root) + "/",
            each.has_tiers,
        )
        for each in found
    ]


def _has_markdown(path: Path) -> bool:
    """Tell whether there is a markdown file below *path*, as a search would meet it."""
    pending = [(path, 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.name[0] == ".":
                continue
            if entry.name[-3:].lower() == ".md":
                return True
            is_open = depth < MAX_DEPTH and entry.name not in SKIPPED_FOLDERS
            if is_open and entry.is_dir(follow_symlinks=False):
                pending.append((Path(entry.path), depth + 1))
    return False
