"""Names of memory files, as versions have them, and whose they are. Pure."""

from __future__ import annotations

from crewmem.bundles.manifest import DEPTH, Owner
from crewmem.files.place import Place
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def owner_of_ref(ref: str) -> Owner | None:
    """Return whose file *ref* names, as agent:harbor/mira/AGENT.md; None: nobody's."""
    scope, colon, rest = ref.partition(":")
    if not colon or scope not in DEPTH:
        return None
    depth = DEPTH[Scope(scope)]
    *names, file = rest.split("/", depth)
    if len(names) != depth or not file or not all(names):
        return None
    crew, agent = (*names, None, None)[:2]
    return Owner(Scope(scope), crew, agent, file)


def place_in(home: Path, workspace: str, owner: Owner) -> Place:
    """Return the memory directory of *owner*, whose names are known, in *home*."""
    root = home / "workspaces" / workspace
    if owner.scope is Scope.WORKSPACE:
        return Place(root / ".memory", Scope.WORKSPACE, kept=True, below=3)
    crew = root / "crews" / str(owner.crew)
    if owner.scope is Scope.CREW:
        path = crew / "shared" / ".memory"
        return Place(path, Scope.CREW, owner.crew, kept=True, below=6)
    path = crew / "agents" / str(owner.agent) / ".memory"
    return Place(path, Scope.AGENT, owner.crew, owner.agent, kept=True, below=7)
