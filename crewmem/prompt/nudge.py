"""Telling an agent that it has not written its memory for long. Pure."""

from __future__ import annotations

THRESHOLD = 60
"""Entries of the journal since memory was written; 30 were reached nearly always."""

WINDOW_DAYS = 30
"""How far back entries count where memory was never written."""

KEPT_DAYS = 90
"""How long it is kept that a session was told; sessions are over by then."""


def nudge(entries: int) -> str:
    """Return the advice after *entries* without a write; "" while there are few."""
    if entries < THRESHOLD:
        return ""
    return (
        f"{entries:,} journal entries since memory was last written: append what "
        "recurs to ~/.memory/AGENT.md."
    )
