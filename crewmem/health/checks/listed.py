"""Directories: can all of them be listed?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "files.listed"
CATEGORY = "files"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name what no search will ever find: what lies in a directory nobody can list."""
    lost = [(trouble, "") for trouble in dict.fromkeys(scene.unread)] + [
        (trouble, str(tree.path)) for tree in scene.trees for trouble in tree.troubles
    ]
    if lost:
        return [
            failed(trouble, expected="a directory that can be listed", where=where)
            for trouble, where in lost
        ]
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [_counted(scene)]


def _counted(scene: Scene) -> Finding:
    files = sum(len(tree.entries) for tree in scene.trees)
    return passed(f"{files:,} files in {len(scene.trees):,} directories")
