"""Proposals: do changes wait for a person, and for how long?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from crewmem import times
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth
from crewmem.memories.audit_store import waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "proposals.waiting"
CATEGORY = "proposals"

LONG = timedelta(days=7)
"""For how long a proposal may wait: who made it has given up on it by then."""

FIRST = datetime.min.replace(tzinfo=UTC)
"""The first moment that there is."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Count proposals that nobody decided, and warn of those that wait for long."""

    def compared(db: apsw.Connection) -> list[Finding]:
        before = times.to_text(max(scene.now, FIRST + LONG) - LONG)
        late = waiting(db, scene.workspace, before)
        if late:
            number = counted(len(late), "proposal waits", "proposals wait")
            return [
                warned(
                    f"{number} for more than {LONG.days} days: {', '.join(late[:3])}",
                    expected="somebody who decides",
                    look=scene.command("proposals", "list"),
                )
            ]
        every = waiting(db, scene.workspace, None)
        if not every:
            return [passed("no change waits for a person")]
        number = counted(len(every), "proposal waits", "proposals wait")
        list_ = scene.command("proposals", "list")
        return [passed(f"{number} for less than {LONG.days} days: {list_}")]

    return of_truth(scene, compared)
