"""Memories: does their full text say what they say?"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from crewmem import disk
from crewmem.db import truth
from crewmem.db.connect import transaction
from crewmem.errors import DatabaseDamagedError
from crewmem.health.finding import failed, passed
from crewmem.health.inside import of_truth, truth_path
from crewmem.memories.text_store import rebuild, troubles

if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "memories.text"
CATEGORY = "memories"


def look(scene: Scene) -> list[Finding]:
    """Compare the full text with the memories, as far as that is done by reading."""

    def compared(db: apsw.Connection) -> list[Finding]:
        try:
            found = troubles(db)
        except DatabaseDamagedError as error:
            found = [error.reason]
        return [_finding(scene, found)] if found else [passed("memories are found")]

    return of_truth(scene, compared)


def _finding(scene: Scene, found: list[str]) -> Finding:
    writable = scene.home is not None and disk.is_writable(scene.home)
    return failed(
        f"the full text is not what memories say: {'; '.join(found)}",
        expected="a full text of all memories; until then words do not find them",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="make the full text anew from the memories" if writable else "",
        where=str(truth_path(scene.home)) if scene.home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Make the full text anew; who reads meanwhile sees the old one."""
    if scene.home is None:
        return
    timeout = scene.settings.busy_timeout
    with (
        closing(truth.open_to_write(scene.home, busy_timeout=timeout)) as db,
        transaction(db),
    ):
        rebuild(db)
