"""Memories, as they are kept in crewmem.db."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where, listed
from crewmem.errors.memories import MemoryAmbiguousError, MemoryMissingError
from crewmem.ids import NAMED, meant
from crewmem.memories import rows
from crewmem.memories.filter_store import Filter
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.rows import COLUMNS
from crewmem.records import NamedTuple

__all__ = ["Filter", "Memories", "Page"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Bound
    from crewmem.journal.filter import Cursor
    from crewmem.memories.memory import Memory, Owner
    from crewmem.memories.rows import Values
    from crewmem.memories.view import View


REMOVED = (
    """
    delete from proposals
     where workspace_id = :workspace
       and (outcome = :id
            or exists (select 1 from json_each(evidence) where value = :id))
    """,
    "delete from scratch where workspace_id = :workspace and digested_into = :id",
    "delete from memories where seq = :seq",
)


class Page(NamedTuple):
    """A part of a listing.

    Attributes:
        next: From where the next part goes on; None: there is none.
    """

    memories: list[Memory]
    next: Cursor | None


class Memories:
    """What is held to be true, in all workspaces."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db

    # Finding

    def find(self, name: str, view: View) -> Memory:
        """Return the memory, whatever became of it, that *name* names or begins.

        Raises:
            MemoryMissingError: If there is none within *view*.
            MemoryAmbiguousError: If there are several.
            PrefixTooShortError: If it is no id, and short.
        """
        where = Where()
        view.limit(where)
        where.begins("id", name)
        found = self._rows(f"{where} order by id limit {NAMED}", where.values)
        by_id = {each.id: each for each in found}
        return by_id[
            meant(
                name,
                [*by_id],
                missing=lambda: MemoryMissingError(name, view.workspace),
                several=lambda some: MemoryAmbiguousError(name, some),
            )
        ]

    def newest_ids(self, beginning: str, view: View, limit: int) -> list[str]:
        """Return up to *limit* ids that begin with *beginning*, the newest first."""
        where = Where()
        view.limit(where)
        where.begins("id", beginning)
        sql = f"select id from memories {where} order by seq desc limit ?"
        return [each for (each,) in fetch(self.db, sql, (*where.values, limit))]

    def by_seq(self, seqs: Collection[int]) -> dict[int, Memory]:
        """Return the memories at *seqs*; they are of rows that the caller may see."""
        rest = "where seq in (select value from json_each(?))"
        found = self._rows(rest, [f"[{listed(sorted(seqs))}]"])
        return {each.seq: each for each in found}

    def by_id(self, workspace: str, memory_id: str) -> Memory | None:
        """Return the memory of that id; it knows no scope."""
        rest = "where workspace_id = ? and id = ?"
        return next(iter(self._rows(rest, [workspace, memory_id])), None)

    def active(
        self,
        workspace: str,
        owner: Owner,
        column: str,
        value: str,
        *,
        status: str = "active",
    ) -> Memory | None:
        """Return the active memory of *owner* whose *column* is *value*.

        Args:
            workspace: Where.
            owner: Whose.
            column: ``content_hash`` or ``topic_key``: there is one at most.
            value: What it holds.
            status: Of another than active there may be several: it is one of them.
        """
        where = _of(workspace, owner)
        where.equal("status", status)
        where.equal(column, value)
        return next(iter(self._rows(f"{where} limit 1", where.values)), None)

    def page(self, wanted: Filter, *, limit: int, after: Cursor | None = None) -> Page:
        """Return the memories that changed last, newest first, from *after* on."""
        # What several own is asked for one by one: an index has each in this order.
        owners: list[tuple[str, str] | None] = [*wanted.view.owners()] or [None]
        found = [
            each for one in owners for each in self._latest(wanted, limit, after, one)
        ]
        found.sort(key=lambda each: (each.updated_at, each.seq), reverse=True)
        if len(found) <= limit:
            return Page(found, None)
        from crewmem.journal.filter import Cursor

        last = found[limit - 1]
        return Page(found[:limit], Cursor(times.to_text(last.updated_at), last.seq))

    def _latest(
        self,
        wanted: Filter,
        limit: int,
        after: Cursor | None,
        owner: tuple[str, str] | None,
    ) -> list[Memory]:
        """Return one more than *limit* of those of *owner*; None: of anyone."""
        where = wanted.where()
        if after:
            where.holds("(updated_at, seq) < (?, ?)", *after)
        if owner:
            where.holds("agent_id = ? and crew_id = ?", *owner)
        rest = f"{where} order by updated_at desc, seq desc limit ?"
        return self._rows(rest, [*where.values, limit + 1])

    def weightiest(self, wanted: Filter, limit: int) -> list[Memory]:
        """Return active memories: those that are pinned, then up to *limit* others.

        Of the others the most important, of which those that changed last; of several
        owners up to *limit* each.
        """
        found: list[Memory] = []
        wanted = wanted._replace(statuses=("active",))
        owners: list[tuple[str, str] | None] = [*wanted.view.owners()] or [None]
        for owner in owners:
            where = wanted.where()
            where.holds("status = 'active'")  # a literal: a partial index needs one
            if owner:
                where.holds("agent_id = ? and crew_id = ?", *owner)
            rest = f"{where} order by importance desc, updated_at desc limit ?"
            found += self._rows(rest, [*where.values, limit])
        where = wanted.where()
        where.holds("pin <> 'none'")
        pinned = self._rows(f"{where} order by seq limit ?", [*where.values, limit])
        known = {each.seq for each in pinned}
        return pinned + [each for each in found if each.seq not in known]

    def count(self, wanted: Filter, most: int) -> int:
        """Return how many memories are within *wanted*, of more than *most* that."""
        where = wanted.where()
        sql = f"select count(*) from (select 1 from memories {where} limit ?)"
        return int(fetch_one(self.db, sql, (*where.values, most + 1))[0])

    def beside(self, workspace: str, ids: Iterable[str]) -> list[str]:
        """Return the ids that stand beside each of *ids* in the order of text."""
        from crewmem.db.beside_store import beside

        return beside(self.db, ["memories"], workspace, ids)

    def _rows(self, rest: str, values: Sequence[object]) -> list[Memory]:
        sql = f"select {COLUMNS} from memories {rest}"
        return [rows.memory(row) for row in fetch(self.db, sql, tuple(values))]

    # Words

    def latest(self, expression: str, limit: int) -> list[int]:
        """Return the places of the latest that match, of whatever owner."""
        sql = """
            select rowid from memories_fts
             where memories_fts match ?
             order by rowid desc
             limit ?
        """
        return [seq for (seq,) in fetch(self.db, sql, (expression, limit))]

    def among(
        self,
        workspace: str,
        seqs: Collection[int],
        *,
        owner: Owner | None = None,
        kind: str | None = None,
    ) -> list[Memory]:
        """Return the live memories at *seqs*, of *owner* and *kind* if said.

        It knows no scope otherwise.
        """
        where = _of(workspace, owner)
        where.equal("kind", kind)
        where.any_of("status", LIVE)
        where.holds(f"seq in ({listed(seqs)})")
        # By their places: what is of one owner may be the whole table.
        return self._rows(f"not indexed {where} order by seq", where.values)

    def matching(self, where: Where) -> list[Memory]:
        """Return the memories that are as *where* asks, oldest first.

        It knows no scope but that.
        """
        return self._rows(f"{where} order by seq", where.values)

    def of_subtype(self, workspace: str, kind: str, subtype: str) -> list[Memory]:
        """Return the live memories of *kind* and *subtype*, oldest first.

        It knows no scope: it is for what the system does for all.
        """
        where = Where()
        where.equal("workspace_id", workspace)
        where.equal("kind", kind)
        where.any_of("status", LIVE)
        where.equal("subtype", subtype)
        return self._rows(f"{where} order by seq", where.values)

    def sources_of(self, seq: int) -> list[Memory]:
        """Return what the memory at *seq* is derived from, oldest first."""
        rest = """
            where seq in (select dst from memory_edges
                           where src = ? and relation = 'derived_from')
            order by seq
        """
        return self._rows(rest, [seq])

    def summaries_of(self, seq: int) -> list[Memory]:
        """Return the summaries that are made of the memory at *seq*, oldest first."""
        rest = """
            where kind = 'summary'
              and seq in (select src from memory_edges
                           where dst = ? and relation = 'derived_from')
            order by seq
        """
        return self._rows(rest, [seq])

    def stale_at(self, seq: int) -> datetime | None:
        """Return when the memory at *seq* became stale; None if it is not."""
        sql = "select stale_at from memories where seq = ? and status = 'stale'"
        found = fetch(self.db, sql, (seq,))
        return times.from_text(found[0][0]) if found and found[0][0] else None

    def has_faded(self, seq: int) -> bool:
        """Tell whether the memory at *seq* was archived because nobody asked for it."""
        sql = """
            select 1 from memories
             where seq = ? and status = 'archived' and stale_at is not null
        """
        return bool(fetch(self.db, sql, (seq,)))

    # Changing

    def add(self, values: Values) -> Memory:
        """Add a row of *values*, by column."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        sql = f"insert into memories ({names}) values ({marks}) returning {COLUMNS}"
        return rows.memory(fetch_one(self.db, sql, tuple(values.values())))

    def change(self, seq: int, values: Values) -> Memory:
        """Give the row at *seq* other *values*, by column."""
        pairs = ", ".join(f"{name} = ?" for name in values)
        sql = f"update memories set {pairs} where seq = ? returning {COLUMNS}"
        return rows.memory(fetch_one(self.db, sql, (*values.values(), seq)))

    def remove(self, memory: Memory) -> None:
        """Erase the row of *memory*, all that hangs on it, and copies of what it says.

        Those are in notes that it sums up, and in proposals that it came of, or that
        would share it.
        """
        named: dict[str, Bound] = {
            "workspace": memory.workspace,
            "id": memory.id,
            "seq": memory.seq,
        }
        with explained(self.db):
            self.db.execute("pragma secure_delete = on").fetchall()
            for sql in REMOVED:
                self.db.execute(sql, named)


def _of(workspace: str, owner: Owner | None) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    if owner is None:
        return where
    where.equal("scope", owner.scope)
    where.equal("agent_id", owner.agent)
    where.equal("crew_id", owner.crew)
    return where
