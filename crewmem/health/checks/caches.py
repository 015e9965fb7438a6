"""Caches: is there any of a tree that is gone?"""

from __future__ import annotations

import os
from pathlib import Path

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.opening import TREE_NOTE
from crewmem.files.store import INDEX_NAME, SIDECARS
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.scene import Scene

NAME = "leftovers.caches"
CATEGORY = "leftovers"

CACHE = "cache"
"""Below the home: an index for each tree that was searched and may not be written."""

MOST_NOTE = 8_192
"""Bytes of a note at most: it is a path."""


def look(scene: Scene) -> list[Finding]:
    """Name indexes that are kept for trees that are no longer there."""
    home = scene.home
    if home is None or not home.is_dir() or not scene.is_operator:
        return [skipped(NO_HOME)]
    return [_finding(scene, path, tree) for path, tree in _gone(home)] or [
        passed("every index in the cache is of a tree that is there")
    ]


def _gone(home: Path) -> Iterator[tuple[Path, str]]:
    """Yield the caches of trees that are gone, and where these were."""
    try:
        with (
            disk.open_root(home) as root,
            disk.open_directory(root, CACHE) as cache,
        ):
            for name in sorted(_names(cache)):
                tree = _tree_of(cache, name)
                if tree and not os.path.lexists(tree):
                    yield home / CACHE / name, tree
    except CrewmemError:
        return  # there is no cache


def _names(directory: disk.Directory) -> list[str]:
    return os.listdir(directory)  # noqa: PTH208 - of a descriptor


def _tree_of(cache: disk.Directory, name: str) -> str:
    """Return the tree that a cache notes it is of; "" if it notes none."""
    try:
        return os.fsdecode(disk.read(cache, f"{name}/{TREE_NOTE}", limit=MOST_NOTE))
    except CrewmemError:
        return ""


def _finding(scene: Scene, path: Path, tree: str) -> Finding:
    writable = disk.is_writable(path.parent)
    return Finding(
        status=Status.WARN,
        observed=f"an index of {tree}, which is gone",
        expected="indexes of trees that are there",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="remove it" if writable else "",
        where=str(path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Remove the index; were its tree to come back, a search would make it again."""
    if scene.home is None:
        return
    path = Path(finding.where)
    with (
        disk.open_root(scene.home) as root,
        disk.open_directory(root, f"{CACHE}/{path.name}") as cache,
    ):
        for name in (INDEX_NAME, *(INDEX_NAME + end for end in SIDECARS), TREE_NOTE):
            disk.discard(cache, name)
        for name in filter(disk.is_temporary, _names(cache)):
            disk.discard(cache, name)
    with disk.open_root(scene.home) as root:
        disk.remove_empty(root, f"{CACHE}/{path.name}")
