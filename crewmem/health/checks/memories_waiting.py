"""Memories: do any wait for a person, in quarantine, or as many doubt them?"""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth
from crewmem.memories.audit_store import doubted, quarantined

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "memories.waiting"
CATEGORY = "memories"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Look for what is quarantined, and for what was archived as many doubt it."""

    def compared(db: apsw.Connection) -> list[Finding]:
        held = {
            "quarantined": quarantined(db, scene.workspace),
            "archived for the votes against them": doubted(db, scene.workspace),
        }
        found = [
            f"{counted(len(some), 'memory is', 'memories are')} {what}: "
            f"{', '.join(some[:3])}"
            for what, some in held.items()
            if some
        ]
        if not found:
            return [passed("no memory is quarantined, or doubted")]
        return [
            warned(
                "; ".join(found),
                expected="somebody who looks at them",
                look=scene.command("memories", "list", "--review"),
            )
        ]

    return of_truth(scene, compared)
