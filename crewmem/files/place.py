"""A memory directory and whose it is. Pure."""

from __future__ import annotations

from crewmem.files.tiers import PRIVATE
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from crewmem.scope import Sight

MEMORY = ".memory"

RULE = "an agent reads its own files, its crews' and its workspace's"
"""Why a directory is not open to somebody."""


class Place(NamedTuple):
    """A memory directory and whose it is.

    Attributes:
        path: The directory itself.
        scope: Agent, crew or workspace.
        crew: Slug of the crew, of an agent's directory its home crew; None if unknown.
        agent: Slug of the agent; None for shared directories, or if unknown.
        kept: Whether it lies in the home, where a reading command may write its index.
        below: How many of the last names of its path must be no links: those that
            nobody named, and that were found.
    """

    path: Path
    scope: Scope
    crew: str | None = None
    agent: str | None = None
    kept: bool = False
    below: int = 0

    @property
    def owner(self) -> str:
        """Whose it is, as ``harbor/mira`` or ``harbor``; "" if unknown."""
        return "/".join(name for name in (self.crew, self.agent) if name)

    def ref(self, file: str) -> str:
        """Name *file*, a path below the directory, as versions and hits name it."""
        return (
            f"{self.scope}:{self.owner}/{file}"
            if self.owner
            else (f"{self.scope}:{file}")
        )

    def is_open_to(self, sight: Sight) -> bool:
        """Tell whether an actor of *sight* may read here."""
        if self.scope is Scope.AGENT:
            return sight.sees_agent(self.agent, self.crew)
        return self.scope is Scope.WORKSPACE or sight.sees_crew(self.crew)

    def hidden_tiers(self, sight: Sight) -> Collection[str]:
        """Return the tiers whose files are not shown to an actor of *sight*."""
        return () if sight.sees_persons else PRIVATE


def place_at(path: Path, scope: Scope | None = None) -> Place:
    """Say whose the memory directory *path* is, by where it lies.

    The layout is ``crews/<crew>/agents/<agent>/.memory``, ``crews/<crew>/shared/
    .memory``, and for a workspace ``<workspace>/.memory``; in a container the crew
    is mounted under a name that does not tell its slug. A *scope* that is given
    is believed.
    """
    parts = path.parts
    above = parts[:-1] if parts[-1] == MEMORY else parts
    owner, folder = above[-1] if above else "", above[-2] if len(above) > 1 else ""
    if folder == "agents" and scope in {None, Scope.AGENT}:
        crew = above[-3] if above[-4:-3] == ("crews",) else None
        return Place(path=path, scope=Scope.AGENT, crew=crew, agent=owner)
    if owner == "shared" and scope in {None, Scope.CREW}:
        crew = folder if above[-3:-2] == ("crews",) else None
        return Place(path=path, scope=Scope.CREW, crew=crew)
    if folder == "workspaces":
        scope = scope or Scope.WORKSPACE
    return Place(path=path, scope=scope or Scope.AGENT)
