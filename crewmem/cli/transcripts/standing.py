"""Gathering how far session logs are read, as the actor may know."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.cli.app import App
    from crewmem.cli.transcripts.roots import Where
    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.source import Source
    from crewmem.transcripts.standing import Behind, Standing

LOSSES_MOST = 1_000_000


def standing(app: App, where: Where) -> Standing:
    """Return how far the logs that are meant are read."""
    from crewmem.cli.transcripts.roots import found
    from crewmem.transcripts import learned_store, letter_store, loss_store
    from crewmem.transcripts.standing import Skips, Standing, stands

    seen = found(app, where)
    db, own = database(app), who(app)
    cursors = known(app, db, own)
    logs = mine(seen.sources, cursors, own)
    every = stands(logs)
    ours = [each.cursor for each in logs if each.cursor]
    letters: dict[str, int] = {}
    kinds: dict[str, int] = {}
    error, lost = "", []
    if db is not None:
        letters = letter_store.counts(db, app.workspace, own)
        error = letter_store.last_error(db, app.workspace, own) if letters else ""
        kinds = learned_store.kinds(db, app.workspace, own)
        lost = loss_store.listed(db, app.workspace, agent=own, limit=LOSSES_MOST)
    return Standing(
        roots=seen.roots if own is None else [],
        logs=every,
        waiting=sum(each.waiting for each in every),
        bytes=sum(each.bytes for each in every),
        kinds=kinds,
        skips=[
            Skips(each.path, each.skipped, each.skipped_lines)
            for each in ours
            if each.skipped
        ],
        drops=sum(each.drops for each in every),
        letters=letters,
        letter_error=error,
        losses=len(lost),
        recovered=sum(each.recovered_at is not None for each in lost),
        refused=len(seen.refused) if own is None else 0,
    )


def who(app: App) -> str | None:
    """Return the agent who asks; None for an operator, who may know of all."""
    return None if app.actor.is_operator else app.actor.name


def database(app: App) -> apsw.Connection | None:
    """Return the database as it can be read; None if it knows nothing of logs."""
    from crewmem.transcripts.cursor_store import has_tables

    db = app.truth_to_read if app.home.is_dir() else None
    return db if db is not None and has_tables(db) else None


def known(app: App, db: apsw.Connection | None, own: str | None) -> list[Cursor]:
    """Return how far logs were read, of *own* alone if that is somebody."""
    from crewmem.transcripts.cursor_store import every
    from crewmem.transcripts.source import COUNTS

    if db is None:
        return []
    cursors = every(db, app.workspace, own)
    return [each for each in cursors if not each.path.endswith(COUNTS)]


def mine(sources: list[Source], cursors: list[Cursor], own: str | None) -> list[Behind]:
    """Return the logs that *own* may know of: its own, and an operator all."""
    from crewmem.transcripts.standing import behind

    logs = [each for each in sources if not each.is_count]
    every = behind(logs, cursors)
    if own is None:
        return every
    return [each for each in every if each.cursor and each.cursor.agent == own]
