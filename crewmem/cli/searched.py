"""Keeping what was searched for, and what was shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from crewmem.cli.app import App


def keep_search(
    app: App, verb: str, text: str, mode: str, hits: Sequence[Any], k: int, ms: float
) -> None:
    """Keep a search, once its answer is out, if the home may be written; never fail.

    Args:
        app: The world.
        verb: What was typed.
        text: What was searched for.
        mode: How it was.
        hits: What was shown: with a ref, a relevance and maybe a cosine each.
        k: How many were wanted.
        ms: How long it took, in milliseconds.
    """
    from crewmem.cli.recalling.counted import keep
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
        cosines=[getattr(each, "cosine", None) for each in hits],
        latency_ms=ms,
    )
    keep(app, recall)
