"""Correcting a memory: a new one takes its place, and says why."""

from __future__ import annotations

from crewmem.errors.memories import SameMemoryError, UnsafeTextError
from crewmem.memories.change import Changed, supersede
from crewmem.memories.draft import Draft
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

    The new one has its kind, its labels, its topic and its pin; the votes stay with
    the old.

    Raises:
        OutOfScopeError: If the actor may not change it.
        UnsafeTextError: If the text looks like an attack or a secret.
        SameMemoryError: If it says the same.
    """
    with desk.journal.transaction():
        topic = memory.topic_key
        if topic and memory.status == "active":
            desk.memories.change(memory.seq, {"topic_key": None})
        done = remember(
            desk, _draft(desk, memory, text, reason), scan=scan, tokenize=tokenize
        )
        if done.action == "quarantined":
            raise UnsafeTextError("the correction", done.rules)  # nothing is kept
        if done.memory.id == memory.id:
            raise SameMemoryError(memory.id)
        if done.action == "created" and memory.pin != "none":
            desk.memories.change(done.memory.seq, {"pin": memory.pin})
        return supersede(desk, memory, done.memory)


def _draft(desk: Desk, memory: Memory, text: str, reason: str) -> Draft:
    return Draft(
        text,
        memory.owner,
        kind=memory.kind,
        subtype=memory.subtype,
        importance=memory.importance,
        confidence=max(memory.confidence, 0.5),
        base_quality=memory.base_quality,
        sensitivity=memory.sensitivity,
        tags=memory.tags,
        entities=memory.entities,
        topic_key=memory.topic_key,
        metadata={**memory.metadata, "corrects": memory.id, "reason": reason},
        occurred_at=memory.occurred_at,
        expires_at=None if memory.is_over(desk.now) else memory.expires_at,
        project=memory.project,
        issue=memory.issue,
    )
