"""Indexes: was any left in the middle of a change?"""

from __future__ import annotations

from crewmem import disk
from crewmem.errors.database import ForeignDatabaseError
from crewmem.files.existing import is_hot
from crewmem.files.header import refuse_foreign
from crewmem.files.reindex import reindex
from crewmem.files.store import INDEX_NAME
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.health.scene import Scene, Tree

NAME = "index.journal"
CATEGORY = "index"


def look(scene: Scene) -> list[Finding]:
    """Name indexes with a journal beside them: of a writer that is gone, or at work."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [
        _finding(scene, tree)
        for tree in scene.open_trees
        if _is_left(tree.path / INDEX_NAME)
    ] or [passed("no index was left in the middle of a change")]


def _is_left(path: Path) -> bool:
    try:
        refuse_foreign(path)
    except ForeignDatabaseError:
        return False  # index.usable says whose it is
    return is_hot(path)


def _finding(scene: Scene, tree: Tree) -> Finding:
    writable = disk.is_writable(tree.path)
    repair = scene.command("memory", "reindex", "--path", tree.path)
    return Finding(
        status=Status.WARN,
        observed=f"{INDEX_NAME} is being changed, or was left in the middle of it",
        expected="nothing beside the index; until then searches go without it",
        repair=repair if writable else "",
        fix="take the change back, and bring it up to date" if writable else "",
        where=str(tree.path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Wait for whoever is at work; SQLite takes back what nobody finishes."""
    reindex(scene.tree_at(finding.where).place, scene.access)
