"""Context losses: an agent's context was compacted or dropped.

Each loss has a row and a journal entry, and begins a new epoch of its session: memory that the
session was given before is treated as lost and may be given again.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.ids import id_from
from crewmem.protocols import EntryWriter
from crewmem.sessions.turns import LOSS_WINDOW, Loss
from crewmem.storage.sqlite import transaction
from crewmem.times import add_span, format_time, parse_time


class ContextLoss(NamedTuple):
    """A context loss and its recovery.

    Attributes:
        mark: How it was detected: the program's own mark, ``drop`` or ``hook``.
        tokens_before: Size of the context before it; None if unknown.
        recovered_at: Time of the recovery block; "" for none.
    """

    id: str
    session: str
    native_id: str
    agent: str
    program: str
    at: str
    mark: str
    tokens_before: int | None
    tokens_after: int | None
    recovered_at: str
    recovered_tokens: int


class LostContext(NamedTuple):
    """The agent and session that lost a context.

    Attributes:
        agent: Slug of the agent; "" for the operator.
        crew: Crew of the session; None if unknown.
        session: Id of the session; "" if it is not indexed.
        native_id: The program's own id of the session.
    """

    agent: str
    crew: str | None
    session: str
    native_id: str
    program: str


COLUMNS = (
    "id, session_id, native_id, agent, program, at, mark, tokens_before, tokens_after,"
    " recovered_at, recovered_tokens"
)


def record_loss(
    context: Context,
    journal: EntryWriter,
    lost: LostContext,
    loss: Loss,
    at: str = "",
    summary: str = "",
) -> bool:
    """Record a loss, now if *at* is empty. Returns False if it was recorded before."""
    db, workspace = context.db, context.workspace
    mark, before, after = loss
    at = at or context.now_text
    session, native_id = lost.session or lost.native_id, lost.native_id
    identity = f"{workspace}\0{session}\0{at}\0{mark}"
    loss_id = id_from("x", sha256(identity.encode()).digest())
    moment = parse_time(at)
    first = format_time(add_span(moment, -LOSS_WINDOW))
    last = format_time(add_span(moment, LOSS_WINDOW))
    with transaction(db):
        known = db.one(
            "select id from context_losses where workspace_id = ? and"
            " (session_id = ? or (native_id = ? and native_id <> '')) and at between ? and ?",
            (workspace, session, native_id, first, last),
        )
        if known is not None:
            return False
        tokens = f" ({before:,} tokens)" if before else ""
        journal.append(
            "compaction.detected",
            f"{lost.agent or 'the operator'}'s context was compacted{tokens}",
            payload={"mark": mark, "before": before, "after": after, "summary": summary[:4000]},
            refs={"session": session},
            crew=lost.crew,
            agent=lost.agent or None,
            origin="agent",
            trace_id=native_id or None,
        )
        db.execute(
            f"insert into context_losses ({COLUMNS}, workspace_id, crew)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, ?, ?)",
            (
                loss_id,
                session,
                native_id,
                lost.agent,
                lost.program,
                at,
                mark,
                before,
                after,
                workspace,
                lost.crew or "",
            ),
        )
    return True


def has_unrecovered_loss(context: Context, native_id: str, *, since: str) -> bool:
    """Return whether no recovery block followed the last loss of a session since *since*."""
    recovered_at = context.db.value(
        "select recovered_at from context_losses where workspace_id = ? and native_id = ?"
        " and native_id <> '' and at >= ? order by at desc limit 1",
        (context.workspace, native_id, since),
    )
    return bool(recovered_at == "")


def count_losses(context: Context) -> dict[str, int]:
    """Return the number of losses of each session that has any, by the program's own id."""
    rows: list[Any] = context.db.all(
        "select native_id, count(*) from context_losses where workspace_id = ? group by native_id",
        (context.workspace,),
    )
    return dict(rows)


def mark_recovered(context: Context, loss_id: str, tokens: int) -> None:
    """Record that a recovery block was given after a loss."""
    with transaction(context.db, local=True):
        context.db.execute(
            "update context_losses set recovered_at = ?, recovered_tokens = ? where id = ?",
            (context.now_text, tokens, loss_id),
        )
