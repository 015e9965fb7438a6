"""Which entries are episodes, and how they weigh; for bundles see `carried_store`."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one, transaction
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    import apsw

    from crewmem.journal.entry import Entry
    from crewmem.scope import Reach

IMPORTANCE = """
    max(least, min(1.0,
        base
        * max(0.1, 1.0 - max(0.0, (:now - indexed_ms) / 86400000.0) / 180.0)
        * (1.0 + log2(reference_count + 1) / 8.0)))
"""
"""`importance.importance`, as SQLite computes it: a test holds the two to one answer.

A million rows took 0.21 s of it, and 1.8 s and more of a loop in Python.
"""


class Weight(NamedTuple):
    """How an episode weighs.

    Attributes:
        seq: The entry's place in the journal.
        indexed_ms: When it first could be recalled, in milliseconds of Unix time.
        base: Importance by type and severity, in [0, 1].
        least: The floor of its priority, in [0, 1].
        importance: As it was last computed, in [0, 1].
        references: How often it was delivered into a prompt.
        last_referenced_at: When that was last; None for never.
    """

    seq: int
    indexed_ms: int
    base: float
    least: float
    importance: float
    references: int
    last_referenced_at: str | None


WEIGHT = """
    seq, indexed_ms, base, least, importance_score, reference_count,
    last_referenced_at
"""


class Episodes:
    """The entries worth recalling."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def transaction(self) -> AbstractContextManager[None]:
        """Make what is changed inside one change, whole or not at all."""
        return transaction(self._db)

    # Becoming one

    def take(self, entries: Iterable[Entry], now: datetime) -> int:
        """Select among *entries*, which were just appended; return how many are new.

        Call it inside a transaction.
        """
        from crewmem.episodes.selection import is_selected

        chosen = [
            each
            for each in entries
            if is_selected(each.entry_type, each.severity, each.payload, each.refs)
        ]
        return self.add(chosen, now)

    def add(self, entries: Sequence[Entry], now: datetime) -> int:
        """Make episodes of *entries*, selected or not; return how many are new.

        Call it inside a transaction.
        """
        places: dict[tuple[str, str, str], list[Entry]] = {}
        for each in entries:
            place = each.workspace_id, each.crew_id or "", each.agent_id or ""
            places.setdefault(place, []).append(each)
        with explained(self._db):
            return sum(
                self._insert(self._owner(*place), some, now)
                for place, some in places.items()
            )

    def _insert(self, owner: int, entries: Sequence[Entry], now: datetime) -> int:
        from crewmem.episodes.importance import first_weight

        now_ms = int(now.timestamp() * 1000)
        before = self._db.total_changes()
        self._db.executemany(
            """
            insert into episodes
                (seq, owner, indexed_ms, base, least, importance_score)
            values (?, ?, ?, ?, ?, ?)
            on conflict (seq) do nothing
            """,
            ((each.seq, owner, *first_weight(each, now_ms)) for each in entries),
        )
        new = self._db.total_changes() - before
        self._db.execute(
            "update owners set episodes = episodes + ? where id = ?", (new, owner)
        )
        return new

    def _owner(self, workspace: str, crew: str, agent: str) -> int:
        values = (workspace, crew, agent)
        where = "where (workspace_id, crew_id, agent_id) = (?, ?, ?)"
        found = fetch(self._db, f"select id from owners {where}", values)
        if not found:
            found = fetch(
                self._db,
                """
                insert into owners (workspace_id, crew_id, agent_id) values (?, ?, ?)
                returning id
                """,
                values,
            )
        return int(found[0][0])

    # Scope

    def owners(
        self,
        reach: Reach,
        *,
        crew: str | None = None,
        agent: str | None = None,
        without: Collection[str] = (),
    ) -> list[int]:
        """Return the owners whose episodes are within *reach*.

        Args:
            crew: Only what belongs to this crew.
            agent: Only what belongs to this agent.
            without: Nothing of these agents.
        """
        rows = fetch(
            self._db,
            """
            select id, crew_id, agent_id from owners
             where workspace_id = ? order by id
            """,
            (reach.workspace,),
        )
        return [
            number
            for number, its_crew, its_agent in rows
            if reach.sees(its_crew or None, its_agent or None)
            and crew in {None, its_crew}
            and agent in {None, its_agent}
            and its_agent not in without
        ]

    def workspaces(self) -> list[str]:
        """Return the workspaces that there are episodes of, by name."""
        sql = "select distinct workspace_id from owners order by 1"
        return [name for (name,) in fetch(self._db, sql)]

    # Asking

    def count(self, owners: Collection[int]) -> int:
        """Return how many episodes belong to *owners*."""
        sql = f"""
            select coalesce(sum(episodes), 0) from owners
             where id in ({_listed(owners)})
        """
        return int(fetch_one(self._db, sql)[0])

    def seqs(self, owners: Collection[int]) -> list[int]:
        """Return the places of all episodes of *owners*, in order."""
        sql = f"select seq from episodes where owner in ({_listed(owners)}) order by 1"
        return [seq for (seq,) in fetch(self._db, sql)]

    def after(self, seq: int, owners: Collection[int], limit: int) -> list[int]:
        """Return the places of the first *limit* episodes behind *seq*, in order."""
        sql = f"""
            select seq
              from episodes
             where seq > ? and +owner in ({_listed(owners)})
             order by seq
             limit ?
        """
        return [found for (found,) in fetch(self._db, sql, (seq, limit))]

    def count_after(self, seq: int, owners: Collection[int]) -> int:
        """Return how many episodes of *owners* there are behind *seq*."""
        sql = f"""
            select count(*) from episodes
             where seq > ? and +owner in ({_listed(owners)})
        """
        return int(fetch_one(self._db, sql, (seq,))[0])

    def first(self, owners: Collection[int]) -> int | None:
        """Return the place of the first episode of *owners*; None if they have none."""
        sql = f"select min(seq) from episodes where owner in ({_listed(owners)})"
        found: int | None = fetch_one(self._db, sql)[0]
        return found

    def last_place(self) -> int:
        """Return the highest place of an entry that is there; 0 if there is none."""
        sql = "select coalesce(max(seq), 0) from journal_entries"
        return int(fetch_one(self._db, sql)[0])

    def hash_at(self, seq: int) -> str | None:
        """Return the hash of the entry at *seq*; None if there is none."""
        sql = "select entry_hash from journal_entries where seq = ?"
        return next((found for (found,) in fetch(self._db, sql, (seq,))), None)

    def owner_of(self, seqs: Collection[int]) -> dict[int, int]:
        """Return the owner of each of *seqs* that is an episode."""
        sql = f"select seq, owner from episodes where seq in ({_listed(seqs)})"
        return dict(fetch(self._db, sql))

    def weights(self, seqs: Collection[int]) -> dict[int, Weight]:
        """Return how each of *seqs* weighs; those that are no episodes are left out."""
        sql = f"select {WEIGHT} from episodes where seq in ({_listed(seqs)})"
        return {row[0]: Weight(*row) for row in fetch(self._db, sql)}

    def importance(self, seqs: Collection[int]) -> dict[int, float]:
        """Return the importance of those of *seqs* that are episodes, in [0, 1]."""
        listed = _listed(seqs)
        sql = f"select seq, importance_score from episodes where seq in ({listed})"
        return dict(fetch(self._db, sql))

    def page(
        self, owners: Collection[int], *, before: int | None, limit: int
    ) -> list[Weight]:
        """Return up to *limit* episodes of *owners*, newest first, below *before*."""
        sql = f"""
            select {WEIGHT}
              from episodes
             where owner in ({_listed(owners)}) and seq < ?
             order by seq desc
             limit ?
        """
        top = (1 << 63) - 1 if before is None else before
        return [Weight(*row) for row in fetch(self._db, sql, (top, limit))]

    def faintest(
        self, owners: Collection[int], limit: int, now_ms: int
    ) -> list[Weight]:
        """Return the *limit* episodes of *owners* that weigh least now, least first."""
        sql = f"""
            select {WEIGHT}
              from episodes
             where owner in ({_listed(owners)})
             order by {IMPORTANCE}, seq
             limit :limit
        """
        values = {"now": now_ms, "limit": limit}
        return [Weight(*row) for row in fetch(self._db, sql, values)]

    def weightiest(self, owners: Collection[int], limit: int) -> list[int]:
        """Return the places of the *limit* episodes of *owners* that weigh most.

        As they were weighed last; of those that weigh the same the newest first.
        """
        sql = f"""
            select seq
              from episodes
             where owner in ({_listed(owners)})
             order by importance_score desc, seq desc
             limit ?
        """
        return [seq for (seq,) in fetch(self._db, sql, (limit,))]

    # Weighing

    def mark(self, seqs: Collection[int], at: str) -> None:
        """Count that *seqs* were delivered into a prompt."""
        with self.transaction():
            self._db.execute(
                f"""
                update episodes
                   set reference_count = reference_count + 1,
                       last_referenced_at = max(coalesce(last_referenced_at, ''), ?)
                 where seq in ({_listed(seqs)})
                """,
                (at,),
            )

    def decay(self, now_ms: int, owners: Collection[int] | None = None) -> int:
        """Compute importance anew; return of how many episodes.

        Args:
            owners: Only of theirs; None: of all there are.
        """
        where = "" if owners is None else f"where owner in ({_listed(owners)})"
        sql = f"update episodes set importance_score = {IMPORTANCE} {where}"
        with self.transaction():
            self._db.execute(sql, {"now": now_ms})
            return self._db.changes()


def _listed(numbers: Collection[int]) -> str:
    """Return *numbers* for a list in SQL: they are our own, and may be thousands."""
    return ",".join(map(str, map(int, numbers)))
