"""Versions: are changes by other means than crewmem recorded?"""

from __future__ import annotations

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.listings_store import listings
from crewmem.files.unrecorded import suspects
from crewmem.files.version import GONE
from crewmem.files.version_store import VersionStore
from crewmem.files.walk import visible, walk
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth
from crewmem.health.versions import kept_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "versions.recorded"
CATEGORY = "versions"

OLD = 24 * 3_600
"""Seconds after which a sweep, which runs every minute or so, should have met it."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Count files that were changed a day ago, and are not as their newest version."""

    def compared(db: apsw.Connection) -> list[Finding]:
        waiting = 0
        late: list[Finding] = []
        for workspace, tree in kept_trees(scene):
            if _is_off(scene, workspace, tree):
                continue
            found = _unrecorded(scene, tree, VersionStore(db, workspace))
            old = [each for each, age in found.items() if age > OLD]
            waiting += len(found)
            if old:
                late.append(_finding(scene, workspace, tree, old))
        if late:
            return late
        if waiting:
            files = counted(waiting, "file was", "files were")
            return [passed(f"{files} changed outside; the next sweep records that")]
        return [passed("every memory file is as its newest version has it")]

    return of_truth(scene, compared)


def _is_off(scene: Scene, workspace: str, tree: Tree) -> bool:
    agents = scene.roster.agents if scene.roster else ()
    who = (workspace, tree.place.agent)
    return any(
        (each.workspace, each.slug) == who and not each.memory for each in agents
    )


def _unrecorded(scene: Scene, tree: Tree, store: VersionStore) -> dict[str, float]:
    """Return the files that are not as their newest versions, with their ages."""
    prefix = tree.place.ref("")
    hashes = store.hashes(prefix)
    found: dict[str, float] = {}
    with open_place(tree.place) as root:
        known = listings(store.db, store.workspace, prefix)
        for file in suspects([*walk(root)], known).changed:
            try:
                with disk.open_file(root, file) as opened:
                    content = opened.read(scene.settings.max_file_bytes)
                    age = scene.now.timestamp() - opened.stat.st_mtime
            except CrewmemError:
                continue  # the checks of files say so
            if sha256(content) != hashes.get(tree.place.ref(visible(file)), GONE):
                found[visible(file)] = age
    return found


def _finding(scene: Scene, workspace: str, tree: Tree, files: list[str]) -> Finding:
    first, *more = files
    others = f" and {counted(len(more), 'other', 'others')}" if more else ""
    changed = "were changed" if more else "was changed"
    return warned(
        f"{first}{others} {changed} by other means more than a day ago, and no version "
        "is recorded: no sweep has met it",
        expected="a version of every change",
        repair=scene.command("--workspace", workspace, "episodes", "sweep"),
        where=str(tree.path),
    )
