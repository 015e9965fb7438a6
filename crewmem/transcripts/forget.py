"""Forgetting how far logs were read that are gone. What was learned of them stays."""

from __future__ import annotations

import os
from datetime import timedelta

from crewmem import times
from crewmem.db.connect import transaction
from crewmem.transcripts import cursor_store
from crewmem.transcripts.source import PACKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    import apsw

LONG = timedelta(days=30)
"""For how long a log may be away: a disk that is not mounted comes back."""


def forget_gone(db: apsw.Connection, now: datetime) -> int:
    """Forget logs that were not read for long, and are not there; return how many.

    Should one come back, it is read again, and nothing is learned of it twice.
    """
    old = cursor_store.unread_since(db, times.to_text(times.before(now, LONG)))
    gone = [each for each in old if not _is_there(each)]
    if gone:
        with transaction(db):
            cursor_store.drop(db, gone)
    return len(gone)


def _is_there(path: str) -> bool:
    return os.path.lexists(path) or os.path.lexists(f"{path}{PACKED}")
