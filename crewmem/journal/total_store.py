"""How many entries there are, found by reading as little as can be."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.db.where import Where

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.scope import Reach


def total(db: apsw.Connection, reach: Reach) -> int:
    """Return how many entries are within *reach*, archived ones included.

    Of a whole workspace its chain says it: counting a million takes too long.
    """
    if reach.agent is None:
        sql = "select entries from journal_chains where workspace_id = ?"
        return sum(entries for (entries,) in fetch(db, sql, (reach.workspace,)))
    where = Where()
    reach.limit(where)
    sql = f"""
        select (select count(*) from journal_entries {where})
             + (select count(*) from journal_entries_archived {where})
    """
    return int(fetch_one(db, sql, [*where.values, *where.values])[0])


def workspaces(db: apsw.Connection) -> list[str]:
    """Return the workspaces that have a journal, whatever is left of it."""
    sql = """
        select workspace_id from journal_chains
        union
        select workspace_id from journal_entries
        order by 1
    """
    return [name for (name,) in fetch(db, sql)]
