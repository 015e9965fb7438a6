"""Votes on memories, one an actor."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch
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
