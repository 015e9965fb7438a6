"""Temporary files: did killed writers leave any behind?"""

from __future__ import annotations

import time
from pathlib import Path

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.health.advice import counted
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.health.strays import Kind, strays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.scene import Scene

NAME = "leftovers.temporary"
CATEGORY = "leftovers"

OLD_NS = 600 * 1_000_000_000
"""Nanoseconds since it was last written, after which a temporary file is nobody's.

Between its last byte and its new name a file is only brought to the disk. Should a
process be held up in that for longer and go on, its write fails and says so: nothing
that was reported as done is lost."""


def look(scene: Scene) -> list[Finding]:
    """Name temporary files of ours that are older than any write takes."""
    roots = _roots(scene)
    if not roots:
        return [skipped("there is nowhere to look")]
    every = [each for root in roots for each in _temporary(root)]
    before = time.time_ns() - OLD_NS  # files are stamped by the system's clock
    old = [path for path, written in every if written < before]
    return [_finding(scene, path) for path in old] or [passed(_told(len(every)))]


def _told(young: int) -> str:
    if not young:
        return "no temporary file was left behind"
    files = counted(young, "temporary file is", "temporary files are")
    return f"{files} being written, or left minutes ago; the latter are told in ten"


def _roots(scene: Scene) -> list[Path]:
    """Return the directories to look into; agents look into what is theirs."""
    if scene.home and scene.home.is_dir() and scene.is_operator:
        below = [each.path for each in scene.trees if not each.place.kept]
        return [scene.home, *below]
    return [each.path for each in scene.trees]


def _temporary(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield every temporary file of ours, and when it was last written."""
    try:
        opened = disk.open_root(root)
    except CrewmemError:
        return  # files.listed says so
    with opened:
        for stray in strays(opened):
            if stray.kind is Kind.TEMPORARY:
                yield root / stray.file, stray.mtime_ns


def _finding(scene: Scene, path: Path) -> Finding:
    writable = disk.is_writable(path.parent)
    return Finding(
        status=Status.WARN,
        observed="a writer that was killed left it behind",
        expected="no temporary file that nobody has written to for ten minutes",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="remove it" if writable else "",
        where=str(path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Remove it: what it was to become was never reported as done."""
    path = Path(finding.where)
    root = next(each for each in _roots(scene) if path.is_relative_to(each))
    with disk.open_root(root) as opened:
        disk.remove(opened, path.relative_to(root))
