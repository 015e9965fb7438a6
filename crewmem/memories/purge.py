"""Erasing memories: the only way that anything of them is lost."""

from __future__ import annotations

from crewmem.memories.view import require_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory


def purge(desk: Desk, memory: Memory) -> None:
    """Erase *memory*, what it said before, the votes on it and what relates to it.

    Proposals to share it go as well, and notes that it sums up. What was shared of it
    already is another memory.

    The journal keeps that it happened. It never held what the memory said.

    Raises:
        OutOfScopeError: If the actor may not change it.
    """
    require_writable(desk.actor, desk.view, memory.owner)
    with desk.journal.transaction():
        current = desk.memories.find(memory.id, desk.view)
        desk.memories.remove(current)
        desk.tell("purged", current._replace(kind="memory"))
    desk.memories.erase()
