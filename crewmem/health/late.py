"""How long something has waited for a vector, as far as that can be known."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

LATE_MS = 600_000
"""Ten minutes: a timer comes twice a minute, and a slow service takes a while."""


def waited_ms(
    now: int, *, since: int | None, written: int | None, embedded: int | None
) -> int:
    """Return how long something has surely waited, and nothing was embedded.

    Args:
        now: The time, in milliseconds as the others.
        since: When something of the last day came that waits.
        written: When the database was last written: what waits was there then.
        embedded: When vectors were last written: a sweep was at work then.
    """
    came = min((each for each in (since, written) if each is not None), default=now)
    return now - max(came, embedded or came)


def written_ms(path: Path) -> int | None:
    """Return when the database at *path* was last written; None if it is not there."""
    stamps = []
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            stamps.append(os.stat(each).st_mtime_ns // 1_000_000)  # noqa: PTH116 - names
        except OSError:
            continue
    return max(stamps, default=None)
