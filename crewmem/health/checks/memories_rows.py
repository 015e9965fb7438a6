"""Memories: is everything there that they name?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.memories.audit_store import orphans, ownerless

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "memories.rows"
CATEGORY = "memories"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Look for memories whose owner, or whose successor, is not there."""
    where = str(truth_path(scene.home)) if scene.home else ""

    def compared(db: apsw.Connection) -> list[Finding]:
        found = [
            _ownerless(scene, owner, count, where)
            for owner, count in ownerless(db, scene.workspace).items()
        ]
        if lost := orphans(db, scene.workspace):
            found.append(
                warned(
                    f"{', '.join(lost[:3])}: superseded by what is not there",
                    expected="something in their place",
                    repair=scene.command("memories", "restore", lost[0]),
                    where=where,
                )
            )
        return found or [passed("all that memories name is there")]

    return of_truth(scene, compared)


def _ownerless(scene: Scene, owner: str, count: int, where: str) -> Finding:
    scope, _, name = owner.partition(" ")
    if name:
        what = f"{owner} holds {count:,} memories, and is not registered"
        repair = scene.command(scope, "add", name)
    else:
        what = f"{count:,} memories are of no {scope}"
        repair = scene.command("memories", "list", "--scope", scope)
    expected = "an owner; until then operators alone find them"
    return warned(what, expected=expected, repair=repair, where=where)
