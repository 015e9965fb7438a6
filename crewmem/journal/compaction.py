"""Which old entries are archived, and what is left in their place. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter

from crewmem import times
from crewmem.ids import new
from crewmem.journal.chain import encoded
from crewmem.journal.entry import Draft
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.journal.stored import Stored

TYPE = "system.compaction"
"""Of the entry that is left."""

SEVERITIES = ("info", "notice")
"""What may be archived. What was a warning once is still one."""

PRIORITIES = ("normal", "high")
"""What may be archived. Who pinned an entry wanted it to stay."""

KEPT = frozenset(
    {
        TYPE,
        "eval.regression_detected",
        "memory.consolidated",
        "memory.seen_again",
        "summary.generated",
    }
)
"""Types that stay, whatever else they say."""

KEPT_GROUPS = ("approval.", "checkpoint.", "fork.")

DAY = len("2026-05-01")


class Group(NamedTuple):
    """Old entries of one crew, day and type.

    Attributes:
        crew: The crew; null for entries of none.
        day: The day, in UTC.
        entry_type: The type.
        entries: How many there are.
    """

    crew: str | None
    day: str
    entry_type: str
    entries: int


def is_kept(entry_type: str) -> bool:
    """Tell whether entries of a type are never archived."""
    return entry_type in KEPT or entry_type.startswith(KEPT_GROUPS)


def summed_up(rows: Sequence[Stored], again: int = 0) -> Draft:
    """Return the entry that stands for *rows*, which are of one crew, day and type.

    The same rows make the same entry, its id included, unless that was taken and
    it is made *again*. It is dated as the last of them: it happened no later, and a
    listing shows it where they were.
    """
    first, last = min(row.ts for row in rows), max(row.ts for row in rows)
    some = rows[0]
    told = f"{len(rows):,} entries" if rows[1:] else "1 entry"
    return Draft(
        entry_type=TYPE,
        summary=f"{told} of {some.entry_type} on {first[:DAY]}, archived",
        id=_id(rows, again),
        crew_id=some.crew_id,
        ts=times.from_text(last),
        actor_type="system",
        actor_id="compaction",
        payload={
            "day": first[:DAY],
            "count": len(rows),
            "kinds": {some.entry_type: len(rows)},
            "severities": _counted(row.severity for row in rows),
            "agents": _counted(row.agent_id or "" for row in rows),
            "bytes": sum(len(f"{row.summary}{row.payload}".encode()) for row in rows),
            "first_ts": first,
            "last_ts": last,
        },
    )


def _id(rows: Sequence[Stored], again: int) -> str:
    ids = encoded([row.id for row in rows])
    salt = f"{again}\n" if again else ""
    named = f"{salt}{rows[0].workspace_id}\n{ids}"
    digest = hashlib.sha256(named.encode()).digest()
    return new("j", lambda size: digest[:size])


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
