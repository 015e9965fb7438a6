"""How many memories wait for a vector, found by reading a few numbers."""

from __future__ import annotations

from crewmem.db.connect import fetch_one
from crewmem.db.where import Where
from crewmem.times import of_milliseconds, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

    from crewmem.memories.view import View

LIVE = "status in ('active', 'warm', 'stale')"
"""As in memories/lifecycle.py; a test compares."""


def behind(
    db: apsw.Connection,
    view: View,
    mark: int,
    changes_ms: int,
    without: Collection[str],
) -> int:
    """Return how many live memories within *view* are behind what sweeps looked at.

    One that was changed and embedded at once is among them until a sweep comes by.

    Args:
        db: The database.
        view: Of who asks; restricted ones are counted, too.
        mark: The place that sweeps came to.
        changes_ms: Up to when they have looked at changes, in milliseconds.
        without: Agents whose memories do not wait.
    """
    where = Where()
    view.limit_owner(where)
    where.holds(LIVE)
    where.holds(
        "(seq > ? or (updated_at > ? and updated_at <> created_at))",
        mark,
        to_text(of_milliseconds(changes_ms)),
    )
    for slug in sorted(without):
        where.holds("agent_id <> ?", slug)
    sql = f"select count(*) from memories {where}"
    return int(fetch_one(db, sql, tuple(where.values))[0])
