"""Locks: is every lock file one that can be locked?"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from shlex import join

from crewmem import disk
from crewmem.disk.failures import KINDS
from crewmem.files.folders import open_place
from crewmem.files.locking import LOCK
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.scene import Scene

NAME = "files.locks"
CATEGORY = "files"

LOCKS = "locks"
"""Below the home: a lock file for each job."""


def look(scene: Scene) -> list[Finding]:
    """Name what stands where a lock file should, or cannot be locked.

    Nothing is written in that directory, and no job of that name runs, before it is
    put right.
    """
    jobs = _of_jobs(scene)
    if not scene.trees and not jobs:
        return [skipped(NO_TREES)]
    wrong = [each for path in (*_of_trees(scene), *jobs) for each in _about(path)]
    return wrong or [passed("every lock file can be locked")]


def _of_trees(scene: Scene) -> Iterator[Path]:
    for tree in scene.open_trees:
        yield tree.path / LOCK


def _of_jobs(scene: Scene) -> list[Path]:
    """Return the locks of jobs; where they lie themselves, if that is no directory."""
    if scene.home is None or not scene.is_operator:
        return []
    folder = scene.home / LOCKS
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return [folder]
        with os.scandir(folder) as entries:
            return [
                folder / each.name
                for each in sorted(entries, key=lambda each: each.name)
                if not disk.is_temporary(each.name)
            ]
    except OSError:
        return []  # there is none, or files.listed says so


def _about(path: Path) -> Iterator[Finding]:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    writable = disk.is_writable(path.parent)
    if stat.S_ISREG(mode) and path.name != LOCKS:
        if writable and not os.access(path, os.R_OK | os.W_OK):
            yield _finding(
                path,
                f"its mode is {stat.S_IMODE(mode):04o}: it cannot be locked",
                repair=join(["chmod", "u+rw", str(path)]),
            )
        return
    is_empty = path.name != LOCKS and stat.S_ISDIR(mode) and _is_empty(path)
    kind = KINDS.get(stat.S_IFMT(mode), "it is a file")
    belongs = "the directory of locks" if path.name == LOCKS else "a lock file"
    yield _finding(
        path,
        f"{kind}, where {belongs} belongs",
        repair=join(["mv", str(path), f"{path}.aside"]) if writable else "",
        fix="remove it, for it is empty" if is_empty and writable else "",
    )


def _is_empty(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def _finding(path: Path, observed: str, *, repair: str, fix: str = "") -> Finding:
    return Finding(
        status=Status.FAIL,
        observed=observed,
        expected="a lock file, or nothing; until then nothing is written there",
        repair=repair,
        fix=fix,
        where=str(path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Remove an empty directory: who writes next makes the lock file."""
    path = Path(finding.where)
    tree = next((each for each in scene.trees if each.path == path.parent), None)
    with open_place(tree.place) if tree else disk.open_root(path.parent) as opened:
        disk.remove_empty(opened, path.name)
