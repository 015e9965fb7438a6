"""Memories: is what is restricted its owner's alone?"""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.memories.said_store import shared_restricted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.memories.said_store import Spoken

NAME = "memories.restricted"
CATEGORY = "memories"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name restricted memories that were given to a crew or a workspace.

    Whoever shared them meant others to read them, and none of them can: they are
    operators' alone.
    """

    def compared(db: apsw.Connection) -> list[Finding]:
        by_workspace: dict[str, list[Spoken]] = {}
        for each in shared_restricted(db, scene.workspace):
            by_workspace.setdefault(each.workspace, []).append(each)
        return [_finding(scene, *each) for each in by_workspace.items()] or [
            passed("restricted memories are their owners' alone")
        ]

    return of_truth(scene, compared)


def _finding(scene: Scene, workspace: str, found: list[Spoken]) -> Finding:
    number = counted(len(found), "restricted memory is", "restricted memories are")
    ids = ", ".join(each.id for each in found[:3])
    return warned(
        f"{number} shared, and nobody it is shared with may read it: {ids}"
        if len(found) == 1
        else f"{number} shared, and nobody they are shared with may read them: {ids}",
        expected="restricted memories of one agent; remember it so, and forget these",
        look=scene.command(
            *("memories", "list", "--workspace", workspace),
            *("--sensitivity", "restricted", "--scope", found[0].text),
        ),
        where=str(truth_path(scene.home)) if scene.home else "",
    )
