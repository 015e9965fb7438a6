"""Losing context: a loss is kept once, and the journal tells what became of it."""

from __future__ import annotations

from crewmem import ids
from crewmem.digests import sha256
from crewmem.journal.entry import NAME_MOST, Draft
from crewmem.transcripts import loss_store
from crewmem.transcripts.loss import Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.memories.desk import Desk
    from crewmem.transcripts.turn import Loss


def lost(
    desk: Desk,
    agent: str,
    loss: Loss,
    *,
    harness: str,
    session: str,
    key: str,
    at: datetime | None,
) -> tuple[Lost, bool]:
    """Keep a loss of context once, and tell the journal; call it in a transaction.

    Marks of one session that are minutes from each other are of one loss.

    Returns:
        The loss, and whether it was not known.
    """
    db, workspace, when = desk.memories.db, desk.workspace, at or desk.now
    digest = sha256(f"{harness}\0{session}\0{key}".encode("utf-8", "replace"))[:32]
    known = loss_store.near(db, workspace, agent, session, digest, when)
    if known:
        loss_store.complete(db, workspace, known, loss.before, loss.after)
        return known, False
    made = Lost(
        id=ids.new("l", desk.randomness),
        agent=agent,
        harness=harness,
        session=session,
        key=digest,
        how=loss.how,
        at=when,
        before=loss.before,
        after=loss.after,
        detected_at=desk.now,
    )
    loss_store.keep(db, workspace, made)
    said = f"{agent} lost context in {harness or 'a session'}"
    more = {"how": loss.how, "before": loss.before, "after": loss.after}
    tell(desk, "detected", made, said, more)
    return made, True


def tell(
    desk: Desk,
    what: str,
    about: Lost,
    said: str,
    more: Mapping[str, object],
    *,
    severity: str = "info",
) -> None:
    """Add to the journal what became of a loss; call it inside the change."""
    session = about.session
    is_name = 0 < len(session) <= NAME_MOST and session.isprintable()
    entry = Draft(
        f"compaction.{what}",
        said,
        agent_id=about.agent,
        severity=severity,
        ts=min(about.at, desk.now) if what == "detected" else None,
        payload={
            "id": about.id,
            "harness": about.harness,
            "session": session,
            **{name: value for name, value in more.items() if value is not None},
        },
        trace_id=session if is_name else None,
    )
    desk.journal.append(
        desk.workspace, [entry], now=desk.now, randomness=desk.randomness
    )
