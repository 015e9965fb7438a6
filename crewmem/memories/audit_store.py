"""What may be wrong with memories, and what waits for a person, counted.

Of one workspace, or of all where none is named.
"""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.db.where import Where

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.memories.view import View


def orphans(db: apsw.Connection, workspace: str | None) -> list[str]:
    """Return the ids of memories whose successor is not there."""
    where = Where()
    where.equal("old.workspace_id", workspace)
    where.holds("old.superseded_by is not null")
    where.holds("""
        not exists (select 1 from memories new
                     where new.workspace_id = old.workspace_id
                       and new.id = old.superseded_by)
    """)
    return _ids(db, f"select old.id from memories old {where} order by 1", where)


def ownerless(db: apsw.Connection, workspace: str | None) -> dict[str, int]:
    """Return agents and crews that hold memories and are not registered, counted."""
    found: dict[str, int] = {}
    for scope, table, column in (
        ("agent", "agents", "slug"),
        ("crew", "crews", "name"),
    ):
        where = Where()
        where.equal("m.workspace_id", workspace)
        where.equal("m.scope", scope)
        where.holds(f"""
            not exists (select 1 from {table} o
                         where o.workspace = m.workspace_id
                           and o.{column} = m.{scope}_id)
        """)
        sql = f"""
            select '{scope} ' || m.{scope}_id, count(*) from memories m {where}
             group by 1 order by 1
        """
        found |= dict(fetch(db, sql, where.values))
    return found


def quarantined(db: apsw.Connection, workspace: str | None) -> list[str]:
    """Return the ids of memories that a person has to look at, oldest first."""
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("status", "quarantined")
    return _ids(db, f"select id from memories {where} order by seq", where)


def waiting(
    db: apsw.Connection, workspace: str | None, before: str | None
) -> list[str]:
    """Return the ids of open proposals that were made *before*, oldest first.

    With None it is all of them.
    """
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("status", "open")
    where.below("created_at", before)
    return _ids(db, f"select id from proposals {where} order by seq", where)


def doubted(db: apsw.Connection, workspace: str | None) -> list[str]:
    """Return the ids of memories that were archived for the votes against them.

    Oldest first; those that a person has put away since are left out.
    """
    from crewmem.memories.filter_store import DOUBTED  # status does without it

    where = Where()
    where.equal("workspace_id", workspace)
    where.holds(DOUBTED)
    return _ids(db, f"select id from memories {where} order by seq", where)


def counted(db: apsw.Connection, view: View, status: str) -> int:
    """Return how many memories of *status* are within *view*, restricted ones too.

    Of active ones an index knows whose they are: their rows are not read.
    """
    where = Where()
    view.limit_owner(where)
    where.holds(f"status = '{status}'")  # a literal: a partial index needs one
    sql = f"select count(*) from memories {where}"
    return int(fetch_one(db, sql, tuple(where.values))[0])


CONTRADICTION = "contradiction: "
"""How the title of a proposal begins that is one; a test compares."""


def open_for(db: apsw.Connection, view: View, title: str = "") -> int:
    """Return how many open proposals who has *view* may decide or has made.

    Of those alone whose title begins with *title*.
    """
    where = Where()
    where.equal("workspace_id", view.workspace)
    where.equal("status", "open")
    if title:
        where.begins("title", title)
    if view.agent is not None:
        made = [f"agent:{view.agent}", f"lead:{view.agent}"]
        where.either({"created_by": made, "crew_id": sorted(view.led)})
    sql = f"select count(*) from proposals {where}"
    return int(fetch_one(db, sql, tuple(where.values))[0])


def _ids(db: apsw.Connection, sql: str, where: Where) -> list[str]:
    return [str(found) for (found,) in fetch(db, sql, where.values)]
