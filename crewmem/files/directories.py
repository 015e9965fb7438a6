"""Memory directories: where they are, who owns them, and who may read them."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

from crewmem.access import Access, Scope
from crewmem.context import MEMORY_DIRECTORY, Context
from crewmem.errors import NotFoundError, RefusedError
from crewmem.files.tiers import PRIVATE_TIERS, tier_of
from crewmem.storage.filesystem import make_directory, open_parent, read_file
from crewmem.storage.sqlite import Database

SKIPPED_FOLDERS = ("node_modules",)
"""Folders with other people's markdown, which are skipped. Hidden folders are skipped too."""


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

    @property
    def entry_owner(self) -> tuple[str, str]:
        """Crew and agent that may read journal entries about the file; "" for a private one."""
        if self.tier in PRIVATE_TIERS:
            return "", ""
        return self.directory.crew, self.directory.agent

    def read(self) -> bytes:
        """Return the content, without checking access; raises the errors of `read_file`."""
        return read_file(self.root, self.relative)


def find_directory(context: Context, crew: str, agent: str) -> Path:
    """Return the path of the memory directory of an agent, a crew, or the workspace."""
    if agent:
        return context.agent_memory(crew, agent)
    return context.crew_memory(crew) if crew else context.workspace_dir / MEMORY_DIRECTORY


def make_directories(context: Context, db: Database) -> None:
    """Create the missing memory directories of all workspaces, crews and agents.

    A copy of a home may lack the empty ones, for example after a clone by git.
    """
    for workspace, crew, agent in db.all(
        "select name, '', '' from workspaces where removed_at is null"
        " union all select workspace_id, name, '' from crews where removed_at is null"
        " union all select workspace_id, crew, slug from agents where removed_at is null"
    ):
        make_directory(find_directory(context.derive(workspace=workspace), crew, agent))


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


def find_blocked(
    context: Context, db: Database, found: Iterable[MemoryDirectory]
) -> list[tuple[MemoryDirectory, str]]:
    """Return the registered memory directories that exist and are not among those *found*.

    A link is in their place, or a file. Each comes with the reason; those that the actor may not
    read are left out.
    """
    known = {(each.crew, each.agent) for each in found}
    rows = db.all(
        "select '', '' union all"
        " select name, '' from crews where workspace_id = :workspace and removed_at is null"
        " union all"
        " select crew, slug from agents where workspace_id = :workspace and removed_at is null",
        {"workspace": context.workspace},
    )
    blocked = []
    for crew, agent in sorted(set(rows) - known):
        path = find_directory(context, crew, agent)
        scope = Scope.AGENT if agent else Scope.CREW if crew else Scope.WORKSPACE
        prefix = f"{scope}:" + "".join(f"{name}/" for name in (crew, agent) if name)
        directory = MemoryDirectory(path, scope, crew, agent, prefix)
        if context.home is None or directory.read_rule(context.access):
            continue
        try:
            with open_parent(context.home, f"{path.relative_to(context.home)}/AGENT.md"):
                pass
        except RefusedError as error:
            blocked.append((directory, error.message))
        except NotFoundError:  # the next sweep makes it
            continue
    return blocked


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


class FileOwner(TypedDict, total=False):
    """The wanted owner of memory files; missing or None matches any."""

    scope: Scope | None
    crew: str | None
    agent: str | None


def find_readable(
    access: Access, directories: Iterable[MemoryDirectory], **owner: Unpack[FileOwner]
) -> list[MemoryDirectory]:
    """Return the directories of *owner* that the actor may read.

    Raises:
        RefusedError: If the actor is no member of the crew, or if *owner* has directories, and the
            actor may read none of them.
    """
    access.require_member(owner.get("crew"))
    wanted = [each for each in directories if is_wanted(each, **owner)]
    found = [each for each in wanted if not each.read_rule(access)]
    if wanted and not found:
        first = wanted[0]
        access.enforce(first.read_rule(access), f"read {first.prefix or first.path}")
    return found


def is_wanted(
    directory: MemoryDirectory,
    *,
    scope: Scope | None = None,
    crew: str | None = None,
    agent: str | None = None,
) -> bool:
    """Return whether a directory belongs to the wanted owner."""
    if scope is not None and scope != Scope.ALL and directory.scope != scope:
        return False
    if agent is not None:
        return directory.agent == agent and crew in (None, directory.crew)
    return crew is None or directory.crew == crew
