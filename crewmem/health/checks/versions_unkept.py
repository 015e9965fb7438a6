"""Versions: is anything kept that belongs to none?"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from crewmem import disk
from crewmem.db import truth
from crewmem.files.kept import VERSIONS, Kept
from crewmem.files.prune import drop_unkept
from crewmem.files.version_store import referred
from crewmem.health.advice import counted
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth
from crewmem.journal.store import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "versions.unkept"
CATEGORY = "versions"

OLD_NS = 3_600 * 1_000_000_000
"""Nanoseconds after which no write is still to record what it kept."""


def look(scene: Scene) -> list[Finding]:
    """Count contents that no version refers to."""

    def compared(db: apsw.Connection) -> list[Finding]:
        found = _unkept(scene.home, db) if scene.home else []
        if not found:
            return [passed("every content that is kept is of a version")]
        return [_finding(scene, len(found))]

    return of_truth(scene, compared)


def _unkept(home: Path, db: apsw.Connection) -> list[str]:
    contents = Kept(home)
    there = [*contents.names()]
    left = referred(db, there)
    before = time.time_ns() - OLD_NS  # files are stamped by the system's clock
    return [
        name
        for name in there
        if name not in left
        and (status := contents.status(name))
        and status.st_mtime_ns < before
    ]


def _finding(scene: Scene, count: int) -> Finding:
    home = scene.home
    writable = home is not None and disk.is_writable(home)
    kept = counted(count, "content is", "contents are")
    return warned(
        f"{kept} kept of which there is no version: a writer was killed",
        expected="contents of versions alone; memory prune drops the others",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="drop what no version keeps" if writable else "",
        where=str(home / VERSIONS) if home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Drop them, while nobody can record a version that keeps one."""
    if scene.home is None:
        return
    timeout = scene.settings.busy_timeout
    with closing(truth.open_to_write(scene.home, busy_timeout=timeout)) as db:
        drop_unkept(Journal(db), Kept(scene.home), _unkept(scene.home, db))
