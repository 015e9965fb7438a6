"""Versions: does each follow the one before?"""

from __future__ import annotations

from crewmem.files.version_store import broken_chains
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed
from crewmem.health.inside import of_truth, truth_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "versions.chain"
CATEGORY = "versions"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name the first version of each workspace whose parent is not the one before."""

    def compared(db: apsw.Connection) -> list[Finding]:
        broken: dict[str, list[tuple[str, str]]] = {}
        for workspace, ref, version_id in broken_chains(db):
            if scene.is_meant(workspace):
                broken.setdefault(workspace, []).append((ref, version_id))
        return [_finding(scene, found) for found in broken.values()] or [
            passed("every version follows the one before")
        ]

    return of_truth(scene, compared)


def _finding(scene: Scene, found: list[tuple[str, str]]) -> Finding:
    (ref, version_id), *more = found
    others = f", and {counted(len(more), 'other', 'others')}" if more else ""
    return failed(
        f"the parent of version {version_id} of {ref} is not the one before{others}: "
        "a row was taken out or changed by hand",
        expected="a chain of versions without a gap; restore a backup of the database",
        where=str(truth_path(scene.home)) if scene.home else "",
    )
