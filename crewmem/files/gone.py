"""Memory directories that are no longer there, told by names of files. Pure."""

from __future__ import annotations

from crewmem.files.place import MEMORY, Place
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def gone(home: Path, workspace: str, ref: str) -> tuple[Place, str] | None:
    """Return where the file *ref* of *workspace* was, and its path below; or None.

    For files whose versions are left: nothing is asked of the disk.
    """
    scope, _, rest = ref.partition(":")
    root = home / "workspaces" / workspace
    if scope == Scope.WORKSPACE:
        return Place(root / MEMORY, Scope.WORKSPACE, kept=True, below=3), rest
    crew, _, below = rest.partition("/")
    above = root / "crews" / crew
    if scope == Scope.CREW:
        path = above / "shared" / MEMORY
        return Place(path, Scope.CREW, crew, kept=True, below=6), below
    agent, _, file = below.partition("/")
    if scope == Scope.AGENT and file:
        path = above / "agents" / agent / MEMORY
        return Place(path, Scope.AGENT, crew, agent, kept=True, below=7), file
    return None
