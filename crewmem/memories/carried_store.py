"""Memories as they are carried from home to home: with all that hangs on them."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.memories.beside import Accesses, Beside, Link, Said
from crewmem.memories.trust import Vote
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import apsw

    from crewmem.db.connect import Row
    from crewmem.memories.view import View


class Wanted(NamedTuple):
    """Which memories are carried.

    Attributes:
        view: What the actor may read.
        agents: Only what is of these agents, or of *crew*; None: whosever.
        crew: Only what is of this crew, or of *agents*.
        scope: Only agents', crews' or the workspace's.
    """

    view: View
    agents: tuple[str, ...] | None = None
    crew: str | None = None
    scope: str | None = None

    def where(self) -> Where:
        """Return the condition for a row of memories."""
        where = Where()
        self.view.limit(where)
        where.equal("scope", self.scope)
        if self.agents is not None or self.crew is not None:
            crews = [] if self.crew is None else [self.crew]
            where.either({"agent_id": [*(self.agents or ())], "crew_id": crews})
        return where


def places(db: apsw.Connection, wanted: Wanted) -> dict[int, str]:
    """Return the ids of what is *wanted*, by their place, in order."""
    where = wanted.where()
    sql = f"select seq, id from memories {where} order by seq"
    return dict(fetch(db, sql, tuple(where.values)))


def count(db: apsw.Connection, wanted: Wanted, *, restricted: bool = False) -> int:
    """Return how many are *wanted*; only *restricted* ones, if said."""
    where = wanted.where()
    where.equal("sensitivity", "restricted" if restricted else None)
    sql = f"select count(*) from memories {where}"
    return int(fetch_one(db, sql, tuple(where.values))[0])


def notes(db: apsw.Connection, seqs: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return since when what is at *seqs* is stale, "" for never, and its spans."""
    sql = f"""
        select seq, coalesce(stale_at, ''), source_spans
          from memories
         where seq in ({_marks(seqs)})
    """
    return {seq: (at, spans) for seq, at, spans in fetch(db, sql, tuple(seqs))}


def beside(db: apsw.Connection, seqs: Sequence[int]) -> dict[int, Beside]:
    """Return what hangs on what is at *seqs*; what nothing hangs on is left out.

    Relations are of what is at *seqs* to whatever there is, by its place; the caller
    says what of it is told.
    """
    votes = _by_memory(db, _VOTES, seqs)
    revisions = _by_memory(db, _REVISIONS, seqs)
    edges = _by_memory(db, _EDGES, seqs)
    accesses = _by_memory(db, _ACCESSES, seqs)
    return {
        seq: Beside(
            tuple(_vote(row) for row in votes.get(seq, ())),
            tuple(Said(*row) for row in revisions.get(seq, ())),
            tuple(Link(*row) for row in edges.get(seq, ())),
            Accesses(*accesses[seq][0]) if seq in accesses else None,
        )
        for seq in {*votes, *revisions, *edges, *accesses}
    }


_VOTES = """
    select memory, actor, day, is_up, reason, at from memory_votes
     where memory in ({}) order by memory, at, actor, day
"""
_REVISIONS = """
    select memory, revision, title, content, replaced_at, replaced_by, reason
      from memory_revisions where memory in ({}) order by memory, revision
"""
_EDGES = """
    select e.src, other.id, e.relation, e.weight, e.created_at, e.created_by
      from memory_edges e join memories other on other.seq = e.dst
     where e.src in ({}) order by e.src, other.seq, e.relation
"""
_ACCESSES = """
    select memory, accessed_count, last_accessed_at, injected_count, last_injected_at
      from memory_accesses where memory in ({})
"""


def _by_memory(
    db: apsw.Connection, sql: str, seqs: Sequence[int]
) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for seq, *row in fetch(db, sql.format(_marks(seqs)), tuple(seqs)):
        found.setdefault(seq, []).append(tuple(row))
    return found


def _marks(seqs: Collection[int]) -> str:
    return ",".join("?" * len(seqs))


def _vote(row: Row) -> Vote:
    actor, day, is_up, reason, at = row
    return Vote(actor, day, bool(is_up), reason, at)


# Bringing them


def hang(db: apsw.Connection, seq: int, found: Beside) -> None:
    """Hang votes, revisions and accesses on the memory at *seq*, which is new."""
    with explained(db):
        db.executemany(
            "insert or replace into memory_votes values (?, ?, ?, ?, ?, ?)",
            (
                (seq, each.actor, each.day, int(each.is_up), each.reason, each.at)
                for each in found.votes
            ),
        )
        db.executemany(
            "insert or ignore into memory_revisions values (?, ?, ?, ?, ?, ?, ?)",
            ((seq, *each) for each in found.revisions),
        )
        if found.accesses:
            db.execute(
                "insert into memory_accesses values (?, ?, ?, ?, ?, ?, ?)",
                (seq, *found.accesses, *found.accesses[2:]),  # settled where it was
            )


def relate(db: apsw.Connection, src: int, dst: int, found: Link) -> None:
    """Relate the memory at *src* to that at *dst*; once is enough."""
    values = (src, dst, found.relation, found.weight)
    with explained(db):
        db.execute(
            "insert or ignore into memory_edges values (?, ?, ?, ?, ?, ?)",
            (*values, found.created_at, found.created_by),
        )


def remove_all(db: apsw.Connection, workspace: str) -> int:
    """Take every memory of *workspace* out; return how many there were."""
    sql = "delete from memories where workspace_id = ?"
    with explained(db):
        db.execute(sql, (workspace,))
    return db.changes()
