"""Changing what becomes of a memory. What it was is always kept, but for a purge."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.memories import (
    BadMoveError,
    BadStateError,
    NotHeldError,
    SameMemoryError,
    SelfSupersededError,
)
from crewmem.errors.registry import OutOfScopeError
from crewmem.memories.lifecycle import LIVE, require_move
from crewmem.memories.remember import scanned
from crewmem.memories.view import require_writable
from crewmem.records import NamedTuple
from crewmem.scope import require_operator
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.rows import Values

ACTION_ITEM, SUPERSEDED = "action_item", "superseded"


class Changed(NamedTuple):
    """What became of a memory.

    Attributes:
        changed: Whether it is not as it was.
        before: The status, the state of an action item, or the pin that it had.
        memory: The memory as it is now.
        by: The memory that took its place; null for none.
    """

    changed: bool
    before: str
    memory: Memory
    by: Memory | None = None


def forget(desk: Desk, memory: Memory, reason: str = "") -> Changed:
    """Archive *memory*: nothing finds it, and it can be restored.

    What was archived for the votes against it does not wait for a person any more if
    an operator says so, too.

    Raises:
        OutOfScopeError: If the actor may not change it.
        BadMoveError: If it is superseded.
    """
    with desk.journal.transaction():
        put_away: Values = {"stale_at": None}  # by somebody: it did not just fade
        done = _moved(desk, memory, "archived", "forgotten", put_away, reason=reason)
        if done.changed:
            return done
        if desk.actor.is_operator:
            put_away["verified_at"] = times.to_text(desk.now)
        return done._replace(memory=desk.memories.change(memory.seq, put_away))


def restore(desk: Desk, memory: Memory) -> Changed:
    """Hold *memory* to be true again, whatever became of it.

    What is quarantined is for a person to look at, and to let pass; so is what was
    put away from there, and whatever else looks like an attack or a secret.

    Raises:
        OutOfScopeError: If the actor may not change it, or let it pass.
        SameMemoryError: If another one says the same, or has its topic, by now.
    """
    require_writable(desk.actor, desk.view, memory.owner)
    with desk.journal.transaction():
        memory = _current(desk, memory)
        if memory.status == "quarantined" or _is_unsafe(desk, memory):
            require_operator(desk.actor, f"let {memory.id} pass")
        if other := twin(desk, memory):
            raise SameMemoryError(other.id)
        more: Values = {
            "verified_at": times.to_text(desk.now),
            "superseded_by": None,
            "stale_at": None,
        }
        return _moved(desk, memory, "active", "restored", more)


def _is_unsafe(desk: Desk, memory: Memory) -> bool:
    """Tell whether what *memory* says would be quarantined if it was said now."""
    if memory.status in LIVE:
        return False
    return gravest(desk.scan(scanned(memory))) is not None


def twin(desk: Desk, memory: Memory) -> Memory | None:
    """Return another that is active, and says what *memory* does or has its topic."""
    for column in ("content_hash", "topic_key"):
        value = getattr(memory, column)
        where = (desk.workspace, memory.owner, column)
        other = desk.memories.active(*where, value) if value else None
        if other and other.id != memory.id:
            return other
    return None


def confirm(desk: Desk, memory: Memory) -> Memory:
    """Hold *memory* to be true again if it was stale, for somebody says that it is.

    So is what was archived after that. What somebody put away, or what was superseded,
    only who may change it brings back so. Where another one says the same by now,
    nothing changes. Call it inside a change.
    """
    if desk.memories.has_faded(memory.seq):
        pass
    elif memory.status in {"archived", SUPERSEDED} and not desk.is_system:
        try:
            require_writable(desk.actor, desk.view, memory.owner)
        except OutOfScopeError:
            return memory
        if not desk.actor.is_operator and _is_unsafe(desk, memory):
            return memory
    elif memory.status != "stale":
        return memory
    if twin(desk, memory):
        return memory
    more = {"verified_at": times.to_text(desk.now), "superseded_by": None}
    after = _changed(desk, memory, {"status": "active", "stale_at": None, **more})
    desk.tell("confirmed", after, **{"from": memory.status})
    return after


def supersede(desk: Desk, old: Memory, new: Memory) -> Changed:
    """Let *new* take the place of *old*.

    Raises:
        OutOfScopeError: If the actor may not change *old*.
        SelfSupersededError: If *old* has already taken the place of *new*.
        NotHeldError: If *new* is not held any more: nothing would be left.
        BadMoveError: If *old* is archived, or superseded.
    """
    require_writable(desk.actor, desk.view, old.owner)
    with desk.journal.transaction():
        old, new = _current(desk, old), _current(desk, new)
        _require_no_circle(desk, old, new)
        if new.status not in LIVE:
            raise NotHeldError(new.id, new.status)
        if new.is_over(desk.now):
            raise NotHeldError(new.id, "over")
        if old.superseded_by not in {None, new.id} and old.status == SUPERSEDED:
            raise BadMoveError(old.id, SUPERSEDED, SUPERSEDED)
        by: Values = {"superseded_by": new.id}
        done = _moved(desk, old, SUPERSEDED, SUPERSEDED, by)
        desk.relate(new.seq, old.seq, "supersedes")
    return done._replace(by=new)


def _require_no_circle(desk: Desk, old: Memory, new: Memory) -> None:
    """Refuse what would make a memory stand, over others, in its own place."""
    seen = {old.id}
    at: Memory | None = new
    while at is not None:
        if at.id in seen:
            raise SelfSupersededError(old.id, new.id)
        seen.add(at.id)
        after = at.superseded_by
        at = desk.memories.by_id(desk.workspace, after) if after else None


def close(desk: Desk, memory: Memory, state: str) -> Changed:
    """Say of an action item that it is done, or dropped.

    Raises:
        OutOfScopeError: If the actor may not change it.
        BadStateError: If it is no action item.
    """
    require_writable(desk.actor, desk.view, memory.owner)
    if memory.kind != ACTION_ITEM:
        raise BadStateError(memory.id, memory.kind)
    with desk.journal.transaction():
        memory = _current(desk, memory)
        if memory.state == state:
            return Changed(changed=False, before=state, memory=memory)
        after = _changed(desk, memory, {"state": state})
        desk.tell(state, after)
    return Changed(changed=True, before=memory.state or "open", memory=after)


def pin(desk: Desk, memory: Memory, wanted: str, reason: str = "") -> Changed:
    """Keep *memory* from aging, as high as *wanted* says, or not any more.

    Raises:
        OutOfScopeError: If the actor is neither an operator nor the lead of its crew.
    """
    if not (desk.actor.is_operator or memory.owner.crew in desk.view.led):
        rule = "operators pin memories, and leads those of their crews"
        raise OutOfScopeError(str(desk.actor), f"pin a memory of {memory.owner}", rule)
    with desk.journal.transaction():
        memory = _current(desk, memory)
        if memory.pin == wanted:
            return Changed(changed=False, before=wanted, memory=memory)
        after = _changed(desk, memory, {"pin": wanted})
        told = {"from": memory.pin, "pin": wanted, "reason": reason or None}
        desk.tell("pinned" if wanted != "none" else "unpinned", after, **told)
    return Changed(changed=True, before=memory.pin, memory=after)


def _moved(
    desk: Desk,
    memory: Memory,
    status: str,
    event: str,
    more: Values | None = None,
    *,
    reason: str = "",
) -> Changed:
    """Give *memory* another status, if it is one that it may have."""
    require_writable(desk.actor, desk.view, memory.owner)
    with desk.journal.transaction():
        memory = _current(desk, memory)
        if memory.status == status:
            return Changed(changed=False, before=status, memory=memory)
        require_move(memory.id, memory.status, status)
        after = _changed(desk, memory, {"status": status, **(more or {})})
        told = {"from": memory.status, "reason": reason or None}
        desk.tell(event, after, **told, superseded_by=after.superseded_by)
    return Changed(changed=True, before=memory.status, memory=after)


def _current(desk: Desk, memory: Memory) -> Memory:
    """Return *memory* as it is by now: others write as well.

    Raises:
        MemoryMissingError: If it was purged meanwhile.
    """
    return desk.memories.find(memory.id, desk.view)


def _changed(desk: Desk, memory: Memory, values: Values) -> Memory:
    at = times.to_text(desk.now)
    return desk.memories.change(memory.seq, {**values, "updated_at": at})
