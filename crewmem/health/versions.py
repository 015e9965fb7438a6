"""What checks of versions share: where a file is, and what it holds."""

from __future__ import annotations

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.scene import Scene, Tree


def kept_trees(scene: Scene) -> Iterator[tuple[str, Tree]]:
    """Yield the trees that lie in the home, each with its workspace."""
    for tree in scene.open_trees:
        if workspace := scene.workspace_of(tree):
            yield workspace, tree


def content_of(scene: Scene, workspace: str, ref: str) -> bytes | None:
    """Return what the file *ref* of *workspace* holds; None if that cannot be known."""
    for name, tree in kept_trees(scene):
        prefix = tree.place.ref("")
        if name == workspace and ref.startswith(prefix):
            try:
                with open_place(tree.place) as root:
                    limit = scene.settings.max_file_bytes
                    return disk.read(root, ref[len(prefix) :], limit=limit)
            except CrewmemError:
                return None
    return None
