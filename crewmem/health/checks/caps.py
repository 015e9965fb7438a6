"""Caps: is any file larger than may go into a prompt, or soon?"""

from __future__ import annotations

from crewmem.files.caps import usage
from crewmem.files.contents import SOFT
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned

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
        return [skipped("there is no memory directory to look at")]
    return [
        _finding(scene, tree, entry)
        for tree in scene.trees
        for entry in tree.entries
        if entry.share is not None and entry.share >= SOFT
    ] or [passed(f"every file is below {SOFT:.0%} of its cap")]


def _finding(scene: Scene, tree: Tree, entry: Entry) -> Finding:
    share = entry.share or 0
    say = failed if share > 1 else warned
    return say(
        usage(entry.bytes, entry.cap or 0),
        expected=f"at most {entry.cap:,}: merge duplicates, drop stale lines",
        look=scene.reading(tree, entry.path),
        where=str(entry.path),
    )
