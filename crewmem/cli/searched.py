"""Keeping what was asked, and what was answered, once the answer is out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import apsw

    from crewmem.cli.app import App
    from crewmem.journal.recalls_store import Recall


def keep_search(
    app: App, verb: str, text: str, mode: str, hits: Sequence[Any], k: int, ms: float
) -> None:
    """Keep a search, as `keep` does.

    Args:
        app: The world.
        verb: What was typed.
        text: What was searched for.
        mode: How it was.
        hits: What was shown: with a ref, a relevance and maybe a cosine each.
        k: How many were wanted.
        ms: How long it took, in milliseconds.
    """
    from crewmem.journal.recalls_store import Recall

    recall = Recall(
        workspace=app.workspace,
        at=app.now,
        actor=str(app.actor),
        verb=verb,
        query=text,
        mode=mode,
        k=k,
        ids=[each.ref for each in hits],
        relevances=[each.relevance for each in hits],
        cosines=cosines(hits),
        latency_ms=ms,
    )
    keep(app, recall)


def keep(app: App, *recalls: Recall) -> None:
    """Keep what was asked and answered, if the home may be written; never fail."""
    from crewmem.journal.recalls_store import note

    note(lambda: _opened(app), *recalls)


def cosines(hits: Iterable[Any]) -> list[float | None]:
    """Return of each of *hits* its cosine, or None: a chunk has it as a reason."""
    return [each.why.cosine if each.store == "files" else each.cosine for each in hits]


def _opened(app: App) -> apsw.Connection | None:
    """Return the database to be written; None if it cannot be.

    Raises:
        CrewmemError: If it cannot be read.
    """
    from crewmem.cli.recalling.counted import can_count
    from crewmem.db.truth import to_write

    db = app.truth_to_read
    return to_write(db) if db and can_count(app) else None
