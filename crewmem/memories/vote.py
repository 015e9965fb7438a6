"""Voting on memories: who uses them says whether they hold."""

from __future__ import annotations

from crewmem import times
from crewmem.memories import votes_store
from crewmem.memories.change import confirm
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.trust import Trust, Vote, is_doubted, trust
from crewmem.memories.view import require_on
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.rows import Values


class Voted(NamedTuple):
    """What a vote came to.

    Attributes:
        memory: The memory as it is now.
        trust: The trust in it, all votes counted.
        changed: Whether the actor had not voted so before.
        archived: Whether so many are against it that it was archived.
    """

    memory: Memory
    trust: Trust
    changed: bool
    archived: bool


def vote(
    desk: Desk, memory: Memory, day: str, reason: str = "", *, is_up: bool
) -> Voted:
    """Let the actor's vote on *memory* count; of an actor the last one does.

    Everybody who sees a memory may vote on it. A vote for what is stale makes it
    active again.

    Args:
        desk: Who votes, and when.
        memory: On what.
        day: Today. An operator's votes against of several days all count.
        reason: Why, in the actor's words.
        is_up: Whether it is for the memory.

    Raises:
        MemoryOffError: If the actor's memory is switched off.
    """
    require_on(desk.view)
    memories, actor = desk.memories, desk.actor
    own_day = day if actor.is_operator and not is_up else ""
    cast = Vote(str(actor), own_day, is_up, reason, times.to_text(desk.now))
    with desk.journal.transaction():
        memory = memories.find(memory.id, desk.view)
        before = votes_store.of(memories.db, memory.seq)
        votes_store.cast(memories.db, memory.seq, cast)
        votes = votes_store.of(memories.db, memory.seq)
        known = {(each.actor, each.day, each.is_up) for each in before}
        changed = known != {(each.actor, each.day, each.is_up) for each in votes}
        told = trust(memory.confidence, votes)
        if changed:
            desk.tell("voted", memory, vote="up" if is_up else "down")
        archived = memory.status in LIVE and is_doubted(told)
        if is_up and not is_doubted(told):
            memory = confirm(desk, memory)
        if archived:
            put_away: Values = {"status": "archived", "stale_at": None}
            memory = memories.change(memory.seq, put_away)
            desk.tell("doubted", memory, down=told.down)
    return Voted(memory, told, changed=changed, archived=archived)
