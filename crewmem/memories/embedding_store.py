"""Which memories are to have a vector, and which changed since a sweep looked."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.db.where import Where
from crewmem.memories.lifecycle import LIVE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    import apsw

    from crewmem.memories.memory import Owner


class Said(NamedTuple):
    """What a memory says, and whose it is.

    Attributes:
        digest: The hash of what it says.
        text: What is embedded.
        updated_ms: When it was last changed, in milliseconds of Unix time.
    """

    seq: int
    digest: str
    text: str
    owner: Owner
    updated_ms: int


class Embeddable:
    """The live memories of a workspace, but those of some agents.

    What is quarantined, put away or replaced gets no vector.

    Attributes:
        workspace: Which.
        db: Where they are.
    """

    def __init__(
        self, db: apsw.Connection, workspace: str, without: Collection[str] = ()
    ) -> None:
        self.workspace = workspace
        self.db, self._without = db, without

    def digests(self) -> list[tuple[int, str]]:
        """Return the places and hashes of all that may have a vector, whoever's.

        What is put away or replaced keeps one: it may be asked for, and restored.
        """
        sql = """
            select seq, content_hash from memories
             where workspace_id = ? and status <> 'quarantined'
        """
        return fetch(self.db, sql, (self.workspace,))

    def first_of(self, agent: str) -> int | None:
        """Return the first place of those of *agent*; None without any."""
        where = self._where()
        where.equal("agent_id", agent)
        sql = f"select min(seq) from memories {where}"
        found: int | None = fetch_one(self.db, sql, tuple(where.values))[0]
        return found

    def is_any_after(self, seq: int) -> bool:
        """Tell whether any has a place after *seq*."""
        where = self._after(seq)
        sql = f"select exists (select 1 from memories {where})"
        return bool(fetch_one(self.db, sql, tuple(where.values))[0])

    def is_changed(self, since_ms: int) -> bool:
        """Tell whether any was changed after *since_ms*."""
        where = self._changed(since_ms)
        sql = f"select exists (select 1 from memories {where})"
        return bool(fetch_one(self.db, sql, tuple(where.values))[0])

    def after(self, seq: int, limit: int) -> list[Said]:
        """Return up to *limit* that have a place after *seq*, in order."""
        return self._said(self._after(seq), "seq", limit)

    def changed(self, since_ms: int) -> list[Said]:
        """Return those that were changed after *since_ms*, the oldest first."""
        return self._said(self._changed(since_ms), "updated_at, seq", -1)

    def at(self, seqs: Collection[int]) -> list[Said]:
        """Return those at *seqs*, in order."""
        where = self._where()
        where.any_of("seq", sorted(seqs))
        return self._said(where, "seq", len(seqs))

    def _where(self) -> Where:
        where = Where()
        where.equal("workspace_id", self.workspace)
        where.any_of("status", LIVE)
        for slug in sorted(self._without):
            where.holds("agent_id <> ?", slug)
        return where

    def _after(self, seq: int) -> Where:
        where = self._where()
        where.holds("seq > ?", seq)
        return where

    def _changed(self, since_ms: int) -> Where:
        from crewmem import times

        where = self._where()
        where.holds("updated_at > ?", times.to_text(times.of_milliseconds(since_ms)))
        return where

    def _said(self, where: Where, order: str, limit: int) -> list[Said]:
        from crewmem import times
        from crewmem.memories.memory import Owner

        sql = f"""
            select seq, content_hash, title || char(10) || content, scope, agent_id,
                   crew_id, updated_at
              from memories {where}
             order by {order}
             limit ?
        """
        return [
            Said(seq, digest, text, Owner(*owner), milliseconds(times.from_text(at)))
            for seq, digest, text, *owner, at in fetch(
                self.db, sql, (*where.values, limit)
            )
        ]


def milliseconds(instant: datetime) -> int:
    """Return *instant* in milliseconds of Unix time."""
    return round(instant.timestamp() * 1000)
