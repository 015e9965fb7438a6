"""Keeping what was lost and given back, and telling the journal."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from crewmem.cli.app import App
    from crewmem.memories.desk import Desk
    from crewmem.transcripts.loss import Lost

RECENT = timedelta(days=1)
"""How long after a loss memory may be given back for it."""

ASKED, HOOK = "asked", "hook"
"""Who told that context was lost, where no log did."""


def keep_recovered(
    app: App,
    agent: str,
    session: str,
    *,
    harness: str,
    tokens: int,
    ids: Sequence[str],
) -> str | None:
    """Keep that memory was given back; return for which loss, None if it cannot be."""
    from crewmem.transcripts import loss_store
    from crewmem.transcripts.lose import tell

    desk = _desk(app)
    if desk is None:
        return None
    with desk.journal.transaction():
        lost = _lost(desk, agent, session, harness)
        loss_store.recovered(
            desk.memories.db,
            desk.workspace,
            lost,
            at=desk.now,
            tokens=tokens,
            ids=ids,
        )
        said = f"{agent} got back {tokens:,} tokens of memory"
        tell(desk, "recovered", lost, said, {"tokens": tokens, "given": [*ids]})
    return lost.id


def keep_failed(
    app: App, agent: str, session: str, *, harness: str, error: BaseException
) -> None:
    """Keep that memory could not be given back; what fails here is not told again."""
    from crewmem.transcripts.lose import tell

    try:
        desk = _desk(app)
        if desk is None:
            return
        with desk.journal.transaction():
            lost = _lost(desk, agent, session, harness)
            why = str(error) or type(error).__name__
            said = f"{agent} got no memory back: {why}"[:1_000]
            tell(desk, "failed", lost, said, {"error": why[:500]}, severity="error")
    except CrewmemError as second:
        app.out.warn(f"that is not in the journal: {second}")


def _desk(app: App) -> Desk | None:
    """Return what is written with; None, and say so, where that cannot be."""
    from crewmem.cli.held import desk
    from crewmem.cli.recalling.counted import READ_ONLY, can_count

    if not app.home.is_dir() or not can_count(app):
        app.out.warn(READ_ONLY)
        return None
    return desk(app)


def _lost(desk: Desk, agent: str, session: str, harness: str) -> Lost:
    """Return the loss that is meant: the last of the session, or a new one."""
    from crewmem.transcripts.lose import lost
    from crewmem.transcripts.turn import Loss

    if not harness and (found := _open(desk.memories.db, desk, agent, session)):
        return found
    how = HOOK if harness else ASKED
    key = f"{how}{desk.now.isoformat()}"
    return lost(
        desk, agent, Loss(how), harness=harness, session=session, key=key, at=None
    )[0]


def _open(db: apsw.Connection, desk: Desk, agent: str, session: str) -> Lost | None:
    """Return the newest loss for which nothing was given back."""
    from crewmem.transcripts import loss_store

    every = loss_store.listed(
        db, desk.workspace, agent=agent, session=session or None, limit=20
    )
    since = times.before(desk.now, RECENT)
    return next((e for e in every if e.at >= since and not e.recovered_at), None)
