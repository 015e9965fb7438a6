"""What it takes to weigh memories, of which a question has hundreds, without texts."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.db.where import listed
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw


class Weighed(NamedTuple):
    """What the weight of a memory depends on.

    Attributes:
        settled: How often it was delivered, up to the last nightly run.
        settled_at: When last; None: never.
        up: Votes for it.
        down: Votes against it.
    """

    seq: int
    kind: str
    importance: int
    confidence: float
    created_at: str
    settled: int
    settled_at: str | None
    up: int
    down: int


def weighed(db: apsw.Connection, seqs: Collection[int]) -> list[Weighed]:
    """Return what the weights of the memories at *seqs* depend on."""
    sql = f"""
        select seq, kind, importance, confidence, created_at,
               coalesce(settled_count, 0), settled_at,
               (select coalesce(sum(is_up), 0) from memory_votes where memory = seq),
               (select coalesce(sum(not is_up), 0) from memory_votes
                 where memory = seq)
          from memories left join memory_accesses on memory = seq
         where seq in ({listed(seqs)})
    """
    return [Weighed(*row) for row in fetch(db, sql)]
