"""Permissions: is the home its owner's alone?"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from shlex import join

from crewmem import disk
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.inside import NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.scene import Scene

NAME = "home.permissions"
CATEGORY = "home"

OWN = 0o700
"""The bits that remain: memory is its owner's business."""

PRIVATE = ("crewmem.db", "vectors.sqlite")
"""The databases of the home; a part or a backup of one is called after it."""


def look(scene: Scene) -> list[Finding]:
    """Tell what others than the owner may read or write."""
    if scene.home is None or not scene.home.is_dir():
        return [skipped(NO_HOME)]
    found = [each for each in _found(scene.home) if each[1] & ~OWN]
    if not found:
        return [passed("the home is its owner's alone", where=str(scene.home))]
    return [_finding(scene, path, mode, owner) for path, mode, owner in found]


def _found(home: Path) -> Iterator[tuple[Path, int, int]]:
    """Yield the home, databases, their parts and backups; mode bits and owners."""
    for path in (home, *(home / name for name in _names(home))):
        try:
            status = path.stat() if path == home else path.lstat()
        except FileNotFoundError:
            continue
        if path == home or stat.S_ISREG(status.st_mode):
            yield path, stat.S_IMODE(status.st_mode), status.st_uid


def _names(home: Path) -> list[str]:
    try:
        names = sorted(os.listdir(home))  # noqa: PTH208 - names are enough
    except OSError:
        return [*PRIVATE]  # files.listed says that it cannot be listed
    begun = tuple(f"{name}{mark}" for name in PRIVATE for mark in "-.")
    return [each for each in names if each in PRIVATE or each.startswith(begun)]


def _finding(scene: Scene, path: Path, mode: int, owner: int) -> Finding:
    may_write = mode & 0o002
    who = "others" if mode & 0o007 else "the group"
    may = "change" if mode & (0o002 if mode & 0o007 else 0o020) else "read"
    ours = scene.host.user in {0, owner} and not disk.is_read_only(path.parent)
    wanted = f"{mode & OWN:04o}"
    return Finding(
        status=Status.FAIL if may_write else Status.WARN,
        observed=f"its mode is {mode:04o}: {who} may {may} it",
        expected=f"mode {wanted}",
        repair=join(["chmod", wanted, str(path)]),
        fix=f"set its mode to {wanted}" if ours else "",
        where=str(path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Take the rights of group and others away."""
    if scene.home is None:
        return
    path = Path(finding.where)
    name = "" if path == scene.home else path.name
    with disk.open_root(scene.home) as root:
        mode = os.stat(name or ".", dir_fd=root, follow_symlinks=False).st_mode
        disk.set_mode(root, name, mode & OWN)
