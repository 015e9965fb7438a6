"""Indexes: does each one say what the files say?"""

from __future__ import annotations

from crewmem import disk
from crewmem.files.reindex import reindex
from crewmem.files.status import standing
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.status import Standing
    from crewmem.health.scene import Scene, Tree

NAME = "index.fresh"
CATEGORY = "index"


def look(scene: Scene) -> list[Finding]:
    """Name indexes that every search has to complete in memory, or in a cache.

    Below a home that can be written a search brings the index up to date and keeps
    it, so there an index that is behind, or missing, is as it should be.
    """
    if not scene.trees:
        return [skipped(NO_TREES)]
    behind = [
        (tree, found)
        for tree in scene.open_trees
        if (found := _standing(scene, tree)).stale and found.state != "unusable"
    ]
    lasting = [each for each in behind if not _heals(each[0])]
    if lasting:
        return [_finding(scene, tree, found) for tree, found in lasting]
    if behind:
        return [
            passed(
                f"{len(behind)} of {len(scene.trees)} are behind the files; the next "
                "search brings them up to date"
            )
        ]
    return [passed("every index says what the files say")]


def _standing(scene: Scene, tree: Tree) -> Standing:
    settings = scene.settings
    return standing(
        tree.place,
        cap=settings.directory_bytes,
        hidden=tree.hidden,
        busy_timeout=settings.busy_timeout,
    )


def _heals(tree: Tree) -> bool:
    return tree.place.kept and disk.is_writable(tree.path)


def _finding(scene: Scene, tree: Tree, found: Standing) -> Finding:
    writable = disk.is_writable(tree.path)
    repair = scene.command("memory", "reindex", "--path", tree.path)
    if found.state == "missing":
        observed = f"there is no index of {found.files:,} files"
    else:
        observed = f"{found.stale:,} files are newer than the index, or gone"
    return Finding(
        status=Status.WARN,
        observed=f"{observed}: every search looks at them again",
        expected="an index that says what the files say",
        repair=repair if writable else "",
        fix="bring it up to date" if writable else "",
        where=str(tree.path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Bring in what changed, in one transaction."""
    reindex(scene.tree_at(finding.where).place, scene.access)
