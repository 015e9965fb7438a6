"""Memories: what waits for a person, and for how long?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from crewmem import times
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth
from crewmem.memories.audit_store import quarantined, waiting

if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "memories.waiting"
CATEGORY = "memories"

LONG = timedelta(days=7)
"""For how long a proposal may wait: who made it has given up on it by then."""

FIRST = datetime.min.replace(tzinfo=UTC)
"""The first moment that there is."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Look for what is quarantined, and for proposals that nobody decided."""

    def compared(db: apsw.Connection) -> list[Finding]:
        found = []
        if held := quarantined(db, scene.workspace):
            number = counted(len(held), "memory is", "memories are")
            found.append(
                warned(
                    f"{number} quarantined: {', '.join(held[:3])}",
                    expected="somebody who looks at them",
                    repair=scene.command("memories", "list", "--status", "quarantined"),
                )
            )
        before = times.to_text(max(scene.now, FIRST + LONG) - LONG)
        if left := waiting(db, scene.workspace, before):
            number = counted(len(left), "proposal waits", "proposals wait")
            found.append(
                warned(
                    f"{number} for more than {LONG.days} days: {', '.join(left[:3])}",
                    expected="somebody who decides",
                    repair=scene.command("proposals", "list"),
                )
            )
        return found or [passed("nothing waits for a person")]

    return of_truth(scene, compared)
