"""Correcting a memory: a new one takes its place, and says why."""

from __future__ import annotations

from crewmem.errors import QuarantinedError, SameMemoryError
from crewmem.memories.change import Changed, supersede
from crewmem.memories.memory import Draft
from crewmem.memories.remember import remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize


def correct(
    desk: Desk,
    memory: Memory,
    text: str,
    *,
    reason: str,
    scan: Scan,
    tokenize: Tokenize,
) -> Changed:
    """Hold *text* to be true in the place of what *memory* says.

    The new one has its kind, its labels and its topic; the votes stay with the old.

    Raises:
        OutOfScopeError: If the actor may not change it.
        QuarantinedError: If the text looks like an attack or a secret.
        SameMemoryError: If it says the same.
    """
    with desk.journal.transaction():
        topic = memory.topic_key
        if topic and memory.status == "active":
            desk.memories.change(memory.seq, {"topic_key": None})
        done = remember(
            desk, _draft(memory, text, reason), scan=scan, tokenize=tokenize
        )
        if done.action == "quarantined":
            raise QuarantinedError(done.memory.id, done.rules)
        if done.memory.id == memory.id:
            raise SameMemoryError(memory.id)
        return supersede(desk, memory, done.memory)


def _draft(memory: Memory, text: str, reason: str) -> Draft:
    return Draft(
        text,
        memory.owner,
        kind=memory.kind,
        subtype=memory.subtype,
        importance=memory.importance,
        confidence=max(memory.confidence, 0.5),
        sensitivity=memory.sensitivity,
        tags=memory.tags,
        entities=memory.entities,
        topic_key=memory.topic_key,
        metadata={**memory.metadata, "corrects": memory.id, "reason": reason},
        project=memory.project,
        issue=memory.issue,
    )
