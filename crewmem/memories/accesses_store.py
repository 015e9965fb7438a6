"""How often memories were read, and delivered into a prompt.

It is counted apart from what they say, so that reading never rewrites a claim. What
was delivered since the last night ranks nothing yet: asking changes no answer before
the next nightly run, which settles the counts.
"""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, transaction
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw


class Accessed(NamedTuple):
    """What is counted of a memory.

    Attributes:
        accessed: How often it was read: shown whole, or delivered.
        delivered: How often it came into a prompt.
        settled: How often it had, when the counts were last settled.
        last: When it was last read, or delivered; None: never.
        settled_at: When it was last delivered before they were settled; None: never.
    """

    accessed: int = 0
    delivered: int = 0
    settled: int = 0
    last: str | None = None
    settled_at: str | None = None


NEVER = Accessed()


def of(db: apsw.Connection, seqs: Collection[int]) -> dict[int, Accessed]:
    """Return what is counted of those of *seqs* that were ever read."""
    marks = ",".join("?" * len(seqs))
    sql = f"""
        select memory, accessed_count, injected_count, settled_count,
               nullif(max(coalesce(last_accessed_at, ''),
                          coalesce(last_injected_at, '')), ''),
               settled_at
          from memory_accesses
         where memory in ({marks})
    """
    return {seq: Accessed(*row) for seq, *row in fetch(db, sql, tuple(seqs))}


def read(db: apsw.Connection, workspace: str, ids: Collection[str], at: str) -> None:
    """Count that the memories *ids* were read."""
    _count(db, READ, workspace, ids, at)


def deliver(db: apsw.Connection, workspace: str, ids: Collection[str], at: str) -> None:
    """Count that the memories *ids* came into a prompt, and were read there."""
    _count(db, DELIVERED, workspace, ids, at)


READ = """
    insert into memory_accesses (memory, accessed_count, last_accessed_at)
    select seq, 1, :at from memories
     where workspace_id = :workspace
       and id in (select value from json_each(:ids))
        on conflict (memory) do update
       set accessed_count = accessed_count + 1,
           last_accessed_at = max(excluded.last_accessed_at,
                                  coalesce(last_accessed_at, ''))
"""

DELIVERED = """
    insert into memory_accesses
           (memory, accessed_count, last_accessed_at, injected_count, last_injected_at)
    select seq, 1, :at, 1, :at from memories
     where workspace_id = :workspace
       and id in (select value from json_each(:ids))
        on conflict (memory) do update
       set accessed_count = accessed_count + 1,
           last_accessed_at = max(excluded.last_accessed_at,
                                  coalesce(last_accessed_at, '')),
           injected_count = injected_count + 1,
           last_injected_at = max(excluded.last_injected_at,
                                  coalesce(last_injected_at, ''))
"""


def _count(
    db: apsw.Connection, sql: str, workspace: str, ids: Collection[str], at: str
) -> None:
    import json

    named = {"at": at, "workspace": workspace, "ids": json.dumps([*ids])}
    with transaction(db):
        db.execute(sql, named)


def settle(db: apsw.Connection, workspace: str | None = None) -> int:
    """Let what was delivered up to now count; return of how many memories it changed.

    Of all workspaces, unless one is named. Done again it changes nothing.
    """
    sql = """
        update memory_accesses
           set settled_count = injected_count, settled_at = last_injected_at
         where (settled_count <> injected_count
                or settled_at is not last_injected_at)
           and (:workspace is null
                or memory in (select seq from memories
                               where workspace_id = :workspace))
    """
    with explained(db), transaction(db):
        db.execute(sql, {"workspace": workspace})
        return db.changes()
