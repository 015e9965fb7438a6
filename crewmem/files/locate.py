"""Finding the memory directories that a command is about."""

from __future__ import annotations

from crewmem.errors import (
    CrewMissingError,
    MemoryDirMissingError,
    NoMemoryError,
    NotADirectoryPathError,
    OutOfScopeError,
    PathMissingError,
    WorkspaceMissingError,
)
from crewmem.files.place import MEMORY, Place, place_at
from crewmem.files.tiers import FOLDERS, NAMED
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from crewmem.scope import Sight

SIGNS = (*NAMED, *FOLDERS, "index.sqlite")
"""What a memory directory that was copied under another name is known by."""


def at_path(path: Path, scope: Scope | None) -> list[Place]:
    """Return the memory directories that *path* stands for in *scope*.

    *path* is a memory directory or its parent; for a crew, its root. ``all`` is a
    crew's root with every agent below it, or an agent's directory with its crew.
    Without a scope it is what it is.

    Raises:
        PathMissingError: If there is nothing at *path*.
        NotADirectoryPathError: If it is a file.
        MemoryDirMissingError: If it is none of these; the error says what was tried.
    """
    path = path.absolute()
    if not path.is_dir():
        if path.exists() or path.is_symlink():
            raise NotADirectoryPathError(path)
        raise PathMissingError(path)
    tried: list[Path] = []
    for find in FINDERS[scope]:
        if places := list(find(path, scope, tried)):
            return places
    raise MemoryDirMissingError(path, tried)


def _single(path: Path, scope: Scope | None, tried: list[Path]) -> Iterator[Place]:
    """Find the memory directory that *path* is, or is the parent of."""
    if path.name == MEMORY:
        yield place_at(path, scope)
        return
    tried.append(path / MEMORY)
    if (path / MEMORY).is_dir():
        yield place_at(path / MEMORY, scope)
        return
    tried.append(path)
    if any((path / sign).exists() for sign in SIGNS):
        yield place_at(path, scope)


def _crew(path: Path, _: Scope | None, tried: list[Path]) -> Iterator[Place]:
    """Find the shared directory of the crew whose root is *path*."""
    if path.name == MEMORY and path.parent.name == "shared":
        yield place_at(path, Scope.CREW)
        return
    shared = path / MEMORY if path.name == "shared" else path / "shared" / MEMORY
    tried.append(shared)
    if shared.is_dir():
        yield place_at(shared, Scope.CREW)


def _whole_crew(path: Path, scope: Scope | None, tried: list[Path]) -> Iterator[Place]:
    """Find all directories of the crew whose root is *path*."""
    yield from _crew(path, scope, tried)
    tried.append(path / "agents")
    yield from map(place_at, _agents(path))


def _agent_and_crew(path: Path, _: Scope | None, tried: list[Path]) -> Iterator[Place]:
    """Find an agent's directory, and from it its crew's."""
    for own in _single(path, Scope.AGENT, tried):
        yield own
        above = own.path.parent if own.path.name == MEMORY else own.path
        if above.parent.name == "agents":
            yield from _crew(above.parent.parent, None, tried)


FINDERS = {
    None: (_single, _whole_crew),
    Scope.AGENT: (_single,),
    Scope.CREW: (_crew,),
    Scope.WORKSPACE: (_single,),
    Scope.ALL: (_whole_crew, _agent_and_crew),
}


def _agents(root: Path) -> Iterator[Path]:
    """Return the memory directories of the agents below a crew's *root*, by slug."""
    yield from _below(root / "agents", MEMORY)


def _below(folder: Path, name: str) -> list[Path]:
    """Return the directories ``folder/*/name`` that are there, in order."""
    try:
        inside = sorted(each.name for each in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        folder / each / name
        for each in inside
        if not each.startswith(".") and (folder / each / name).is_dir()
    ]


def in_home(
    home: Path,
    workspace: str,
    scope: Scope | None,
    *,
    crew: str | None = None,
    agent: str | None = None,
) -> list[Place]:
    """Return the memory directories of *workspace* below *home*: its own, its crews'.

    *crew* and *agent* narrow it.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        CrewMissingError: If there is no such crew in it.
    """
    root = home / "workspaces" / workspace
    if not root.is_dir():
        raise WorkspaceMissingError(workspace)
    if crew is not None and not (root / "crews" / crew).is_dir():
        raise CrewMissingError(crew, workspace)
    wanted = (scope,) if scope and scope is not Scope.ALL else tuple(Scope)
    found: list[Place] = []
    if Scope.WORKSPACE in wanted and crew is None and agent is None:
        found += _workspace(root)
    for name in [crew] if crew is not None else _names(root / "crews"):
        found += _of_crew(root / "crews" / name, name, wanted, agent)
    return found


def _workspace(root: Path) -> list[Place]:
    path = root / MEMORY
    place = Place(path=path, scope=Scope.WORKSPACE, kept=True)
    return [place] if path.is_dir() else []


def _of_crew(
    root: Path, name: str, wanted: Collection[Scope], agent: str | None
) -> Iterator[Place]:
    shared = root / "shared" / MEMORY
    if Scope.CREW in wanted and agent is None and shared.is_dir():
        yield Place(path=shared, scope=Scope.CREW, crew=name, kept=True)
    if Scope.AGENT not in wanted:
        return
    for path in _agents(root):
        slug = path.parent.name
        if agent in {None, slug}:
            yield Place(path=path, scope=Scope.AGENT, crew=name, agent=slug, kept=True)


def _names(folder: Path) -> list[str]:
    return [path.name for path in _below(folder, "")]


def usual(home: Path, mount: Path, user_home: Path) -> Path:
    """Return where memory is looked for when no path is named, the first that is there.

    Raises:
        NoMemoryError: If there is none.
    """
    tried = [home / "workspaces", mount, user_home / MEMORY]
    found = [
        place
        for place, sign in zip(
            (home, mount, user_home / MEMORY),
            (tried[0], mount / "shared", user_home / MEMORY),
            strict=True,
        )
        if sign.is_dir()
    ]
    if not found:
        raise NoMemoryError(tried)
    return found[0]


def readable(places: Iterable[Place], sight: Sight, *, named: bool) -> list[Place]:
    """Return the *places* that an actor of *sight* may read.

    Raises:
        OutOfScopeError: If the one place that was *named* is not among them.
    """
    places = list(places)
    seen = [place for place in places if place.is_open_to(sight)]
    if named and places and not seen:
        rule = "an agent reads its own files, its crews' and its workspace's"
        raise OutOfScopeError(str(sight.actor), f"read {places[0].path}", rule)
    return seen
