"""When what could not be embedded is tried again. Pure."""

from __future__ import annotations

from crewmem.vectors.space import MOST_DELAY_MS, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIRST_DELAY_MS = 60_000
"""A minute: a service that restarts is back by then."""

MANY_TRIES = 8
"""After this many `doctor` names it."""

SHARE = 4
"""What is tried again takes at most one place of so many while there is new work."""

FIRST = "it was not tried yet"
"""Kept of what has to wait for a sweep that has passed its place."""

REASON_MOST = 500
"""Most characters that are kept of why it failed."""


def failed(key: int, reason: str, now_ms: int, before: Failure | None) -> Failure:
    """Return the failure of *key*, whose delay doubles with each try."""
    tries = (before.tries if before else 0) + 1
    delay = min(FIRST_DELAY_MS << min(tries - 1, 20), MOST_DELAY_MS)
    return Failure(key, tries, now_ms + delay, reason[:REASON_MOST])


def chosen(
    failures: Iterable[Failure], fresh: Sequence[int], now_ms: int, limit: int
) -> list[int]:
    """Return up to *limit* keys to embed: those that are due again, then *fresh*.

    What fails time and again, however much of it, never keeps new ones waiting.
    """
    due = sorted(
        (each for each in failures if each.is_due(now_ms)),
        key=lambda each: (each.due_ms, each.key),
    )
    room = max(limit - len(fresh), limit // SHARE, 1)
    again = [each.key for each in due[:room]]
    new = [key for key in fresh if key not in again]
    return again + new[: limit - len(again)]
