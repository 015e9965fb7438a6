"""Versions: is anything kept that belongs to none?"""

from __future__ import annotations

import time
from contextlib import closing

from crewmem import disk
from crewmem.db import truth
from crewmem.files.kept import VERSIONS, Kept
from crewmem.files.prune import drop_unkept
from crewmem.files.version_store import newest_at, referred
from crewmem.health.advice import counted
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, vectors_are_foreign
from crewmem.journal.store import Journal
from crewmem.journal.total_store import workspaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "versions.unkept"
CATEGORY = "versions"

KILLED = 2
"""Contents that writers which were killed one after the other leave at most: more of
them, newer than every version, are of a database that is newer than the one here."""

OLD_NS = 3_600 * 1_000_000_000
"""Nanoseconds after which no write is still to record what it kept."""


def look(scene: Scene) -> list[Finding]:
    """Count contents that no version refers to."""

    def compared(db: apsw.Connection) -> list[Finding]:
        found = _unkept(scene.home, db) if scene.home else []
        if not found:
            return [passed("every content that is kept is of a version")]
        if _is_older(scene, db, found):
            return [_of_a_newer(scene, len(found))]
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


def _is_older(scene: Scene, db: apsw.Connection, names: list[str]) -> bool:
    """Tell whether *db* looks like an older one that was put in the place of another.

    What it does not know may be known to the newer one: it is not to be dropped.
    """
    if scene.home is None:
        return False
    contents = Kept(scene.home)
    try:
        newest = newest_at(db)
    except ValueError:  # somebody changed it by hand: nothing is dropped
        return True
    since = newest.timestamp() if newest else 0.0
    stamps = [contents.status(name) for name in names]
    newer = sum(bool(each and each.st_mtime > since) for each in stamps)
    return newer > KILLED or any(
        vectors_are_foreign(scene, db, each) for each in workspaces(db)
    )


def _of_a_newer(scene: Scene, count: int) -> Finding:
    kept = counted(count, "content is", "contents are")
    return warned(
        f"{kept} kept of which {truth.NAME} knows no version, as if an older one had "
        "been put in its place",
        expected=f"the {truth.NAME} that knows them; if there is none any more, memory "
        "prune drops them for good",
        where=str(scene.home / VERSIONS) if scene.home else "",
    )


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
