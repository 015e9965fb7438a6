"""Caps: is any directory as a whole too large, or soon?"""

from __future__ import annotations

from crewmem.files.caps import SOFT, is_archive, is_near, usage
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "files.total"
CATEGORY = "files"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name directories whose files together are over the cap, or near it."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    cap = scene.settings.directory_bytes
    return [
        _finding(scene, tree, cap) for tree in scene.trees if is_near(_bytes(tree), cap)
    ] or [passed(f"every directory is below {SOFT}% of {cap:,} bytes")]


def _finding(scene: Scene, tree: Tree, cap: int) -> Finding:
    total = _bytes(tree)
    say = failed if total > cap else warned
    return say(
        usage(total, cap),
        expected=f"at most {cap:,}: move what is no longer needed elsewhere",
        look=scene.command("memory", "list", "--path", tree.path),
        where=str(tree.path),
    )


def _bytes(tree: Tree) -> int:
    """Return the bytes that count: notes that were put away do not."""
    return sum(
        entry.bytes
        for entry in tree.entries
        if not is_archive(entry.file.rpartition("/")[0])
    )
