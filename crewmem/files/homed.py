"""Telling of a directory that was named by its path which one of a home it is."""

from __future__ import annotations

from crewmem.files.gone import gone
from crewmem.files.place import MEMORY
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.files.place import Place


class Homed(NamedTuple):
    """A directory that lies in a home.

    Attributes:
        workspace: Of which workspace it is.
        place: The directory as the home knows it, with whose it is.
    """

    workspace: str
    place: Place


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
            ref = "workspace:"
        case (workspace, "crews", crew, "shared", folder) if folder == MEMORY:
            ref = f"crew:{crew}/"
        case (workspace, "crews", crew, "agents", agent, folder) if folder == MEMORY:
            ref = f"agent:{crew}/{agent}/"
        case _:
            return None
    found = gone(home, workspace, f"{ref}x.md")
    return Homed(workspace, found[0]) if found else None
