"""Scratch: what a session works with, for a while, and what is kept of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from crewmem import ids, times
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.memories import BlankMemoryError
from crewmem.errors.values import BadMemoryError
from crewmem.memories.draft import CONTENT_MOST, Draft, first_clause
from crewmem.memories.memory import Owner
from crewmem.memories.remember import Remembered, remember
from crewmem.memories.safe import require_safe
from crewmem.memories.scratch_store import Note, Scratch
from crewmem.memories.view import require_on
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize

LONGEST = timedelta(days=30)
"""Of a life: what is to be there for longer is a memory."""

MORE = "\n…"
"""What ends a digest in which not all has room."""


class Digested(NamedTuple):
    """What became of a session's notes.

    Attributes:
        notes: How many there were.
        memory: What was remembered of them; null if there were none.
    """

    notes: int
    memory: Remembered | None


def add(desk: Desk, session: str, text: str, ttl: timedelta, scan: Scan) -> Note:
    """Note *text* for *session*, for as long as *ttl*.

    What is over by now, in any session, is dropped.

    Raises:
        BadMemoryError: If the life is out of range, or it is no text.
        UnsafeTextError: If it looks like an attack or a secret, or its session does.
        BlankMemoryError: If it says nothing.
        InputTooLargeError: If it says too much.
        MemoryOffError: If the actor's memory is switched off.
    """
    require_on(desk.view)
    if not text.strip():
        raise BlankMemoryError
    if "\0" in text:
        raise BadMemoryError("content", "a NUL character", "text")
    size = len(text.encode("utf-8", "replace"))
    if size > CONTENT_MOST:
        raise InputTooLargeError("the note", size, CONTENT_MOST)
    if not timedelta() < ttl <= LONGEST:
        raise BadMemoryError("ttl", str(ttl), "a span of up to 30d")
    require_safe("the note", f"{session}\n{text}", scan)
    scratch, now = Scratch(desk.memories.db), times.to_text(desk.now)
    with desk.journal.transaction():
        scratch.drop_expired(now)
        note_id = ids.new("s", desk.randomness)
        last = datetime.max.replace(tzinfo=UTC) - ttl
        end = times.to_text(min(desk.now, last) + ttl)
        who = (desk.workspace, str(desk.actor), session)
        return scratch.add(note_id, who, text, now, end)


def digest(desk: Desk, session: str, *, scan: Scan, tokenize: Tokenize) -> Digested:
    """Remember what the actor noted in *session* as one summary; all at once.

    It is the agent's own; an operator's is the workspace's. The notes are not listed
    after it.
    """
    scratch = Scratch(desk.memories.db)
    with desk.journal.transaction():
        who = (desk.workspace, str(desk.actor), session)
        notes = scratch.of(who, times.to_text(desk.now))
        if not notes:
            return Digested(0, None)
        draft = _summary(desk, session, notes)
        done = remember(desk, draft, scan=scan, tokenize=tokenize)
        scratch.mark([each.seq for each in notes], done.memory.id)
    return Digested(len(notes), done)


def _summary(desk: Desk, session: str, notes: Sequence[Note]) -> Draft:
    own = "" if desk.actor.is_operator else desk.actor.name
    owner = Owner("agent", agent=own) if own else Owner("workspace")
    title = f"Session {session}: {first_clause(notes[0].content)}"
    return Draft(
        _listed(notes),
        owner,
        kind="summary",
        subtype="session",
        title=title[:200] if title.isprintable() else "",
        session=session,
        origin="digest",
        metadata={"notes": len(notes)},
    )


def _listed(notes: Sequence[Note]) -> str:
    """Return the notes as a list, oldest first, as many as have room."""
    lines: list[str] = []
    left = CONTENT_MOST - len(MORE.encode())
    for each in notes:
        line = "- " + "\n  ".join(each.content.strip().splitlines())
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            return "\n".join(lines) + MORE
        lines.append(line)
    return "\n".join(lines)
