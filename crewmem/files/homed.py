"""The memory directories of a home: by whose they are, by a ref, by a path."""

from __future__ import annotations

from crewmem.files.place import MEMORY, Place
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

DEPTH = {Scope.AGENT: 2, Scope.CREW: 1, Scope.WORKSPACE: 0}
"""How many names say whose a memory directory is, by its scope."""


class Homed(NamedTuple):
    """A directory that lies in a home.

    Attributes:
        workspace: Of which workspace it is.
        place: The directory as the home knows it, with whose it is.
    """

    workspace: str
    place: Place


def place_in(
    home: Path, workspace: str, scope: Scope, crew: str = "", agent: str = ""
) -> Place:
    """Return where *workspace* of *home* has a directory, be it there or not."""
    root = home / "workspaces" / workspace
    if scope is Scope.WORKSPACE:
        return Place(root / MEMORY, scope, kept=True, below=3)
    above = root / "crews" / crew
    if scope is Scope.CREW:
        return Place(above / "shared" / MEMORY, scope, crew, kept=True, below=6)
    path = above / "agents" / agent / MEMORY
    return Place(path, scope, crew, agent, kept=True, below=7)


def of_ref(home: Path, workspace: str, ref: str) -> tuple[Place, str] | None:
    """Return where the file *ref* of *workspace* is or was, and its path below.

    None if no home has such a file. Nothing is asked of the disk.
    """
    scope, _, rest = ref.partition(":")
    found = apart(scope, rest)
    if found is None:
        return None
    kind, names, file = found
    return place_in(home, workspace, kind, *names), file


def apart(scope: str, rest: str) -> tuple[Scope, tuple[str, ...], str] | None:
    """Take apart what says, below a *scope*, whose a file is and which.

    ``harbor/mira/AGENT.md`` of an agent is the names harbor and mira, and the file;
    None if it is of nobody.
    """
    if scope not in DEPTH:
        return None
    kind = Scope(scope)
    *names, file = rest.split("/", DEPTH[kind])
    if len(names) != DEPTH[kind] or not file or not all(names):
        return None
    return kind, tuple(names), file


def homed(home: Path, path: Path) -> Homed | None:
    """Return the directory of *home* that *path* leads to; None if it leads to none.

    Links and ``..`` in *path* hide nothing: what counts is where it ends.
    """
    try:
        parts = path.resolve().relative_to((home / "workspaces").resolve()).parts
    except (ValueError, OSError, RuntimeError):  # elsewhere, or links in a circle
        return None
    match parts:
        case (workspace, folder) if folder == MEMORY:
            place = place_in(home, workspace, Scope.WORKSPACE)
        case (workspace, "crews", crew, "shared", folder) if folder == MEMORY:
            place = place_in(home, workspace, Scope.CREW, crew)
        case (workspace, "crews", crew, "agents", agent, folder) if folder == MEMORY:
            place = place_in(home, workspace, Scope.AGENT, crew, agent)
        case _:
            return None
    return Homed(workspace, place)
