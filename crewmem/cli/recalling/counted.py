"""Counting what was laid before a model."""

from __future__ import annotations

from contextlib import suppress

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App

PATIENCE = 1.0
"""Seconds that a count waits for a lock: an answer is worth more than its count."""

READ_ONLY = "not counted: this home is only read"


def can_count(app: App) -> bool:
    """Tell whether there is a home that keeps counts, and it can be written."""
    db = app.truth_to_read
    return db is not None and bool(db.filename) and not db.readonly("main")


def count(
    app: App,
    refs: Sequence[str],
    memories: Sequence[str] = (),
    *,
    patience: float = PATIENCE,
) -> str:
    """Count that entries *refs*, and *memories*, were laid before a model.

    Return why not, or "".

    Of an entry that compaction has archived meanwhile nothing is counted.
    """
    from crewmem import times
    from crewmem.db.connect import patience as waits
    from crewmem.db.truth import to_write
    from crewmem.episodes.store import Episodes
    from crewmem.journal.store import Journal

    if not (refs or memories):
        return ""
    if (db := app.truth_to_read) is None or not can_count(app):
        return READ_ONLY
    found, at = Journal(db).by_id(app.workspace, refs), times.to_text(app.now)
    try:
        to_write(db).set_busy_handler(waits(patience))
        if found:
            Episodes(db).mark([each.seq for each in found.values()], at)
        if memories:
            from crewmem.memories.accesses_store import deliver

            deliver(db, app.workspace, memories, at)
    except CrewmemError as error:
        return f"not counted: {error}"
    return ""


def note_read(app: App, memory_id: str) -> None:
    """Count that a memory was shown whole, if the home may be written; never fail."""
    from crewmem import times
    from crewmem.db.connect import patience as waits
    from crewmem.db.truth import to_write
    from crewmem.memories.accesses_store import read

    with suppress(CrewmemError):
        if (db := app.truth_to_read) is not None and can_count(app):
            to_write(db).set_busy_handler(waits(PATIENCE))
            read(db, app.workspace, [memory_id], times.to_text(app.now))
