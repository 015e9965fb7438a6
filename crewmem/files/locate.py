"""Finding the memory directories that a command is about."""

from __future__ import annotations

import os

from crewmem.errors.disk import (
    NotADirectoryPathError,
    PathMissingError,
    UnsafePathError,
)
from crewmem.files.folders import Skipped, is_below, is_folder, names
from crewmem.files.place import MEMORY, RULE, Place, place_at
from crewmem.files.tiers import FOLDERS, NAMED
from crewmem.ids import is_slug
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from crewmem.scope import Sight

CREW_PAGE = "CREW.md"
"""What the shared directory of a crew has, and no agent's."""

SIGNS = (*NAMED, *FOLDERS, "index.sqlite")
"""What a memory directory that was copied under another name is known by."""


class Trail(NamedTuple):
    """What was met on the way.

    Attributes:
        tried: Where a memory directory was looked for.
        skipped: What was passed over.
    """

    tried: list[Path]
    skipped: list[Skipped]


def at_path(
    path: Path, scope: Scope | None, skipped: list[Skipped] | None = None
) -> list[Place]:
    """Return the memory directories that *path* stands for in *scope*.

    *path* is a memory directory or its parent; for a crew, its root. ``all`` is a
    crew's root with every agent below it, or an agent's directory with its crew.
    Without a scope it is what it is. It may be a link, for a person named it; of a
    crew below it nothing may. What is passed over is added to *skipped*.

    Raises:
        PathMissingError: If there is nothing at *path*.
        NotADirectoryPathError: If it is a file.
        MemoryDirMissingError: If it is none of these; the error says what was tried.
        NotReadableError: If it, or all that is below it, may not be looked into.
        UnsafePathError: If all that is there are links.
    """
    path = path.resolve() if ".." in path.parts else path.absolute()
    if not is_folder(path):
        if os.path.lexists(path):
            raise NotADirectoryPathError(path)
        raise PathMissingError(path)
    trail = Trail([], [])
    for find in FINDERS[scope]:
        if places := list(find(path, scope, trail)):
            _report(trail.skipped, skipped)
            is_direct = path.resolve() == path and not places[0].path.is_symlink()
            return places if is_direct else [*map(_led_to, places)]
    if trail.skipped:
        raise trail.skipped[0].error
    from crewmem.errors.files import MemoryDirMissingError

    raise MemoryDirMissingError(path, trail.tried)


def _led_to(place: Place) -> Place:
    """Return *place*, met through a link, as whose it is that the link leads to.

    Else anybody's files were open by the name of a link, as ``agents/<own slug>``.
    Where what it leads to does not tell whose it is, the name is believed.
    """
    real = place_at(place.path.resolve())
    is_same = (real.scope, real.agent) == (place.scope, place.agent)
    is_told = real.owner or real.scope is Scope.CREW
    if is_same or not is_told:
        return place
    return place._replace(scope=real.scope, crew=real.crew, agent=real.agent)


def _report(passed_over: Collection[Skipped], skipped: list[Skipped] | None) -> None:
    """Add what was *passed_over* to *skipped*; raise it where nobody asks for that.

    Links are raised for nobody: they are left out by rule, as all that is hidden is.
    """
    if skipped is not None:
        skipped += passed_over
        return
    for each in passed_over:
        if not isinstance(each.error, UnsafePathError):
            raise each.error


def _single(path: Path, scope: Scope | None, trail: Trail) -> Iterator[Place]:
    """Find the memory directory that *path* is, or is the parent of."""
    if path.name == MEMORY:
        yield _known(path, scope)
        return
    trail.tried.append(path / MEMORY)
    if is_folder(path / MEMORY):
        yield _known(path / MEMORY, scope)
        return
    trail.tried.append(path)
    if any(os.path.lexists(path / sign) for sign in SIGNS):
        yield _known(path, scope)


def _known(path: Path, scope: Scope | None) -> Place:
    """Say whose *path* is; where it lies elsewhere than it used to, by its page."""
    place = place_at(path, scope)
    is_moved = scope is None and place.scope is Scope.AGENT and not place.agent
    if is_moved and os.path.lexists(path / CREW_PAGE):
        return place._replace(scope=Scope.CREW)
    return place


def _crew(path: Path, _: Scope | None, trail: Trail) -> Iterator[Place]:
    """Find the shared directory of the crew whose root is *path*."""
    if path.name == MEMORY and path.parent.name == "shared":
        yield place_at(path, Scope.CREW)
        return
    root = path.parent if path.name == "shared" else path
    place = place_at(root / "shared" / MEMORY, Scope.CREW)
    trail.tried.append(place.path)
    below = (MEMORY,) if path.name == "shared" else ("shared", MEMORY)
    if is_below(path, below, place, trail.skipped):
        yield place._replace(below=len(below))


def _whole_crew(path: Path, scope: Scope | None, trail: Trail) -> Iterator[Place]:
    """Find all directories of the crew whose root is *path*."""
    yield from _crew(path, scope, trail)
    trail.tried.append(path / "agents")
    for slug in names(path, "agents", place_at(path / "shared"), trail.skipped):
        place = place_at(path / "agents" / slug / MEMORY)
        if is_below(path / "agents", (slug, MEMORY), place, trail.skipped):
            yield place._replace(below=3)


def _agent_and_crew(path: Path, _: Scope | None, trail: Trail) -> Iterator[Place]:
    """Find an agent's directory, and from it its crew's."""
    for own in _single(path, Scope.AGENT, trail):
        yield own
        above = own.path.parent if own.path.name == MEMORY else own.path
        if above.parent.name == "agents":
            yield from _crew(above.parent.parent, None, trail)


FINDERS = {
    None: (_single, _whole_crew),
    Scope.AGENT: (_single,),
    Scope.CREW: (_crew,),
    Scope.WORKSPACE: (_single,),
    Scope.ALL: (_whole_crew, _agent_and_crew),
}


def in_home(
    home: Path,
    workspace: str,
    scope: Scope | None,
    *,
    crew: str | None = None,
    agent: str | None = None,
    skipped: list[Skipped] | None = None,
) -> list[Place]:
    """Return the memory directories of *workspace* below *home*: its own, its crews'.

    *crew* and *agent* narrow it. The home may be a link; below it nothing is reached
    through one. What is passed over is added to *skipped*.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        CrewMissingError: If there is no such crew in it.
        AgentMissingError: If there is no such agent in these crews.
        BadNameError: If none could be called so.
        UnsafePathError: If one that was named is a link.
        NotReadableError: If one that was named, or one that nobody asks to have
            passed over, may not be looked into.
    """
    for kind, name in (
        ("a workspace", workspace),
        ("a crew", crew),
        ("an agent", agent),
    ):
        _require_name(kind, name)
    root = home / "workspaces" / workspace
    if not _is_named(home, ("workspaces", workspace), Scope.WORKSPACE):
        from crewmem.errors.registry import WorkspaceMissingError

        raise WorkspaceMissingError(workspace)
    if crew is not None and not _is_named(root, ("crews", crew), Scope.CREW):
        from crewmem.errors.registry import CrewMissingError

        raise CrewMissingError(crew, workspace)
    wanted = (scope,) if scope and scope is not Scope.ALL else tuple(Scope)
    search = _Home(root, wanted, agent)
    found = search.places(crew)
    if agent is not None and not found and Scope.AGENT in wanted:
        if search.skipped:
            raise search.skipped[0].error
        from crewmem.errors.registry import AgentMissingError

        raise AgentMissingError(agent, workspace)
    _report(search.skipped, skipped)
    return found


def _require_name(kind: str, name: str | None) -> None:
    """Refuse a *name* that leads elsewhere.

    A directory that somebody else made may be called what crewmem would not call
    one; it is read all the same.

    Raises:
        BadNameError: If it could lead out, or is hidden.
    """
    if name is None or is_slug(name):
        return
    if not name or name[0] == "." or "/" in name or "\0" in name:
        from crewmem.errors.values import BadNameError

        raise BadNameError(kind, name)


def _is_named(root: Path, path: Iterable[str], scope: Scope) -> bool:
    """Tell whether *path* below *root*, which was named, leads to a directory.

    Raises:
        UnsafePathError: If one is a link.
        NotReadableError: If that may not be known.
    """
    skipped: list[Skipped] = []
    there = is_below(root, path, Place(root, scope), skipped)
    if skipped:
        raise skipped[0].error
    return there


class _Home:
    """Looking through the directories of a workspace.

    Attributes:
        skipped: What was passed over.
    """

    def __init__(
        self, root: Path, wanted: Collection[Scope], agent: str | None
    ) -> None:
        self.root, self.wanted, self.agent = root, wanted, agent
        self.skipped: list[Skipped] = []

    def places(self, crew: str | None) -> list[Place]:
        """Return those of the workspace and of its crews, or of *crew* alone."""
        found: list[Place] = []
        if Scope.WORKSPACE in self.wanted and crew is None and self.agent is None:
            place = Place(self.root / MEMORY, Scope.WORKSPACE, kept=True, below=3)
            if is_below(self.root, (MEMORY,), place, self.skipped):
                found.append(place)
        if not {Scope.CREW, Scope.AGENT}.isdisjoint(self.wanted):
            for name in [crew] if crew is not None else self._crews():
                found += self._of_crew(self.root / "crews" / name, name)
        return found

    def _crews(self) -> Iterator[str]:
        crews = self.root / "crews"
        above = Place(crews, Scope.WORKSPACE)
        for name in names(self.root, "crews", above, self.skipped):
            place = Place(crews / name, Scope.CREW, crew=name)
            if is_below(crews, (name,), place, self.skipped):
                yield name

    def _of_crew(self, root: Path, crew: str) -> Iterator[Place]:
        if Scope.CREW in self.wanted and self.agent is None:
            path = root / "shared" / MEMORY
            place = Place(path, Scope.CREW, crew=crew, kept=True, below=6)
            if is_below(root, ("shared", MEMORY), place, self.skipped):
                yield place
        if Scope.AGENT in self.wanted:
            yield from self._agents(root, crew)

    def _agents(self, root: Path, crew: str) -> Iterator[Place]:
        agents = root / "agents"
        above = Place(agents, Scope.CREW, crew=crew)
        if self.agent is None:
            slugs = names(root, "agents", above, self.skipped)
        else:
            there = is_below(root, ("agents",), above, self.skipped)
            slugs = [self.agent] if there else []
        for slug in slugs:
            path = agents / slug / MEMORY
            place = Place(path, Scope.AGENT, crew, slug, kept=True, below=7)
            if is_below(agents, (slug, MEMORY), place, self.skipped):
                yield place


def usual(home: Path, mount: Path, user_home: Path) -> Path:
    """Return where memory is looked for when no path is named, the first that is there.

    Raises:
        NoMemoryError: If there is none.
        NotReadableError: If one of them may not be looked at.
    """
    tried = [home / "workspaces", mount, user_home / MEMORY]
    found = [
        place
        for place, sign in zip(
            (home, mount, user_home / MEMORY),
            (tried[0], mount / "shared", user_home / MEMORY),
            strict=True,
        )
        if is_folder(sign)
    ]
    if not found:
        from crewmem.errors.files import NoMemoryError

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
        from crewmem.errors.registry import OutOfScopeError

        raise OutOfScopeError(str(sight.actor), f"read {places[0].path}", RULE)
    return seen
