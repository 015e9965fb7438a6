"""Caps: is any file larger than may go into a prompt, or soon?"""

from __future__ import annotations

from crewmem.files.caps import SOFT, is_near, usage
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.contents import Entry
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "files.caps"
CATEGORY = "files"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name files over their cap, or near it."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [
        _finding(scene, tree, entry)
        for tree in scene.trees
        for entry in tree.entries
        if is_near(entry.bytes, entry.cap)
    ] or [passed(f"every file is below {SOFT}% of its cap")]


def _finding(scene: Scene, tree: Tree, entry: Entry) -> Finding:
    cap = entry.cap or 0
    say = failed if entry.bytes > cap else warned
    return say(
        usage(entry.bytes, cap),
        expected=f"at most {cap:,}: merge duplicates, drop stale lines",
        look=scene.reading(tree, entry.path),
        where=str(entry.path),
    )
