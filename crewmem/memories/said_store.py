"""What memories say, read one after the other to be looked over.

Of one workspace, or of all where none is named.
"""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.memories.lifecycle import LIVE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import apsw


class Spoken(NamedTuple):
    """A live memory, as far as it is looked over."""

    workspace: str
    id: str
    text: str


class Vectorless(NamedTuple):
    """A live memory, as far as it matters to its vector.

    Attributes:
        seq: Its place.
        digest: The hash of what it says.
        updated_at: When it was last changed.
    """

    seq: int
    id: str
    digest: str
    updated_at: str


def count_live(db: apsw.Connection, workspace: str | None) -> int:
    """Return how many memories are live."""
    where = _live(workspace)
    sql = f"select count(*) from memories {where}"
    return int(fetch_one(db, sql, tuple(where.values))[0])


def live(db: apsw.Connection, workspace: str | None) -> Iterator[Spoken]:
    """Yield all live memories, in order, title and content."""
    where = _live(workspace)
    sql = f"""
        select workspace_id, id, title || char(10) || content from memories {where}
         order by seq
    """
    with explained(db):
        for row in db.execute(sql, tuple(where.values)):
            yield Spoken(*row)


def shared_restricted(db: apsw.Connection, workspace: str | None) -> list[Spoken]:
    """Return live memories that are restricted and of a crew or a workspace."""
    where = _live(workspace)
    where.equal("sensitivity", "restricted")
    where.holds("scope <> 'agent'")
    sql = f"select workspace_id, id, scope from memories {where} order by seq"
    return [Spoken(*row) for row in fetch(db, sql, where.values)]


def to_embed(
    db: apsw.Connection, workspace: str, without: Collection[str]
) -> list[Vectorless]:
    """Return live memories of *workspace*, but those of the agents in *without*."""
    where = _live(workspace)
    for slug in sorted(without):
        where.holds("agent_id <> ?", slug)
    sql = f"""
        select seq, id, content_hash, updated_at from memories {where} order by seq
    """
    return [Vectorless(*row) for row in fetch(db, sql, where.values)]


def places(db: apsw.Connection, workspace: str) -> set[int]:
    """Return the places of all memories of *workspace*, live or not."""
    sql = "select seq from memories where workspace_id = ?"
    return {seq for (seq,) in fetch(db, sql, (workspace,))}


def _live(workspace: str | None) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    where.any_of("status", sorted(LIVE))
    return where
