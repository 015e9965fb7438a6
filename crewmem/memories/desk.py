"""What changes to memories are made with, as it travels together."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from crewmem.journal.store import Journal
    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Memories
    from crewmem.memories.view import View
    from crewmem.scope import Actor
    from crewmem.threats.rule import Finding, Scan


def _scan(text: str) -> list[Finding]:
    """Look with the rules that there are without any settings."""
    from crewmem.threats.scan import scan

    return scan(text)


class Desk(NamedTuple):
    """Who changes memories, where and when.

    Attributes:
        view: What the actor may read, and through it change.
        randomness: Returns that many random bytes.
        is_system: Whether nobody asked: it is a job that does it for all.
        scan: The scanner, for what was put away and is to be held again.
    """

    memories: Memories
    journal: Journal
    actor: Actor
    view: View
    now: datetime
    randomness: Callable[[int], bytes]
    is_system: bool = False
    scan: Scan = _scan

    @property
    def workspace(self) -> str:
        """Where."""
        return self.view.workspace

    @property
    def by(self) -> str:
        """Who, as it is written down."""
        return "system" if self.is_system else str(self.actor)

    def relate(
        self, source: int, target: int, relation: str, weight: float = 1.0
    ) -> bool:
        """Keep how the memory at place *source* is related to that at *target*.

        Returns whether that was not known yet.
        """
        from crewmem.memories import edges_store

        return edges_store.add(
            self.memories.db,
            source,
            target,
            relation,
            by=self.by,
            at=self.now,
            weight=weight,
        )

    def tell(self, kind: str, memory: Memory, **more: object) -> None:
        """Add to the journal what became of *memory*; call it inside the change."""
        from crewmem.memories.events import event

        draft = event(kind, memory, None if self.is_system else self.actor, **more)
        self.journal.append(
            self.workspace, [draft], now=self.now, randomness=self.randomness
        )
