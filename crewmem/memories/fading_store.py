"""What it takes to know how much is left of each memory, without what they say."""

from __future__ import annotations

from crewmem.db.connect import explained
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from crewmem.memories.store import Filter


class Faint(NamedTuple):
    """What the forgetting of a memory depends on."""

    seq: int
    kind: str
    importance: int
    created_at: str
    references: int
    delivered_at: str | None


def every(db: apsw.Connection, wanted: Filter) -> Iterator[Faint]:
    """Yield all memories within *wanted*, those that are pinned left out.

    One by one: a million of them take hundreds of megabytes.
    """
    where = wanted.where()
    where.equal("pin", "none")
    sql = f"""
        select seq, kind, importance, created_at,
               coalesce(injected_count, 0), last_injected_at
          from memories left join memory_accesses on memory = seq {where}
    """
    with explained(db):
        yield from (Faint(*row) for row in db.execute(sql, where.values))
