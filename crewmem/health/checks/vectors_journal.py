"""Vectors: are they of the journal that is there?"""

from __future__ import annotations

from crewmem.episodes.anchor import FOREIGN
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, vectors_are_foreign, vectors_path
from crewmem.journal.total_store import workspaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "vectors.journal"
CATEGORY = "vectors"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name workspaces whose journal was put in the place of another."""

    def seen(db: apsw.Connection) -> list[Finding]:
        found = [
            _finding(scene, each)
            for each in workspaces(db)
            if scene.is_meant(each) and vectors_are_foreign(scene, db, each)
        ]
        return found or [passed("they are of the journal that is there")]

    return of_truth(scene, seen, by_all=True)


def _finding(scene: Scene, workspace: str) -> Finding:
    return warned(
        f"{workspace}: {FOREIGN}",
        expected="vectors of what it holds; until then words alone find",
        repair=scene.command("episodes", "sweep", "--all", "--workspace", workspace),
        where=str(vectors_path(scene.home)) if scene.home else "",
    )
