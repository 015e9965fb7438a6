"""Votes on memories, one an actor, and how often memories were delivered."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, transaction
from crewmem.memories.trust import Vote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw


def cast(db: apsw.Connection, seq: int, vote: Vote) -> None:
    """Let *vote* count on the memory at *seq*, in the place of the actor's before.

    An operator's votes against of several days stand beside each other until it
    votes for.
    """
    with explained(db):
        db.execute(
            """
            delete from memory_votes
             where memory = ? and actor = ? and (? = '' or is_up = 1)
            """,
            (seq, vote.actor, vote.day),
        )
        db.execute(
            "insert or replace into memory_votes values (?, ?, ?, ?, ?, ?)",
            (seq, vote.actor, vote.day, int(vote.is_up), vote.reason, vote.at),
        )


def of(db: apsw.Connection, seq: int) -> list[Vote]:
    """Return the votes that count on the memory at *seq*, oldest first."""
    sql = """
        select actor, day, is_up, reason, at
          from memory_votes
         where memory = ?
         order by at, actor, day
    """
    return [
        Vote(actor, day, bool(is_up), reason, at)
        for actor, day, is_up, reason, at in fetch(db, sql, (seq,))
    ]


def counts(db: apsw.Connection, seqs: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return how many are for and against, of those of *seqs* that have votes."""
    marks = ",".join("?" * len(seqs))
    sql = f"""
        select memory, sum(is_up), sum(not is_up)
          from memory_votes
         where memory in ({marks})
         group by memory
    """
    return {seq: (up, down) for seq, up, down in fetch(db, sql, tuple(seqs))}


def delivered(
    db: apsw.Connection, seqs: Collection[int]
) -> dict[int, tuple[int, str | None]]:
    """Return how often each of *seqs* came into a prompt, and when last.

    Those that never did are left out.
    """
    marks = ",".join("?" * len(seqs))
    sql = f"""
        select memory, injected_count, last_injected_at
          from memory_accesses
         where memory in ({marks}) and injected_count > 0
    """
    found = fetch(db, sql, tuple(seqs))
    return {seq: (count, last) for seq, count, last in found}


def deliver(db: apsw.Connection, workspace: str, ids: Collection[str], at: str) -> None:
    """Count that the memories *ids* came into a prompt."""
    marks = ",".join("?" * len(ids))
    with transaction(db):
        db.execute(
            f"""
            insert into memory_accesses (memory, injected_count, last_injected_at)
            select seq, 1, ? from memories
             where workspace_id = ? and id in ({marks})
                on conflict (memory) do update
               set injected_count = injected_count + 1,
                   last_injected_at = excluded.last_injected_at
            """,
            (at, workspace, *ids),
        )
