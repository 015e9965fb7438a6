"""Which journals are signed with a key, as their chains tell."""

from __future__ import annotations

from crewmem.db.connect import fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

KEYED = "k%"
"""How a signature begins that was made with a key, as `chain.KEYED` has it."""


def keyed(db: apsw.Connection, workspace: str | None = None) -> list[str]:
    """Return the workspaces, or the one, whose chain ends with a signed entry."""
    known = "select 1 from sqlite_schema where name = 'journal_chains'"
    if not fetch(db, known):
        return []
    sql = """
        select workspace_id from journal_chains
         where last_hash like ?1 and (?2 is null or workspace_id = ?2)
         order by 1
    """
    return [name for (name,) in fetch(db, sql, (KEYED, workspace))]
