"""To which crews an agent belongs: all that the registry is asked before a search.

Apart from `store`, whose records cost more to import than the search takes.
"""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.ids import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


def has_workspace(db: apsw.Connection, name: str) -> bool:
    """Tell whether a workspace called *name* is registered."""
    return bool(fetch(db, "select 1 from workspaces where name = ?", (name,)))


def workspaces(db: apsw.Connection) -> list[str]:
    """Return the workspaces that are registered, by name."""
    sql = "select name from workspaces order by name"
    return [name for (name,) in fetch(db, sql)]


def crews_of(db: apsw.Connection, workspace: str, slug: str) -> list[str]:
    """Return the crews that *slug* belongs to, its home first; none if unknown."""
    if not is_slug(slug):
        return []
    rows = fetch(
        db,
        """
        select crew, 0 as place from agents
         where workspace = :workspace and slug = :slug
        union all
        select crew, 1 from memberships
         where workspace = :workspace and slug = :slug
         order by place, crew
        """,
        {"workspace": workspace, "slug": slug},
    )
    return [crew for crew, _ in rows]


def without_memory(db: apsw.Connection, workspace: str) -> frozenset[str]:
    """Return the agents of *workspace* whose memory is off."""
    sql = "select slug from agents where workspace = ? and not memory"
    return frozenset(slug for (slug,) in fetch(db, sql, (workspace,)))


def settings_of(db: apsw.Connection, workspace: str, slug: str) -> dict[str, object]:
    """Return what was set of the agent *slug*, flags as 0 and 1; nothing if unknown."""
    if not is_slug(slug):
        return {}
    sql = """
        select each.key, each.value
          from agents, json_each(agents.settings) as each
         where workspace = ? and slug = ?
    """
    return dict(fetch(db, sql, (workspace, slug)))


def led_by(db: apsw.Connection, workspace: str, slug: str) -> list[str]:
    """Return the crews of *workspace* that name *slug* as their lead, by name."""
    if not is_slug(slug):
        return []
    sql = "select name from crews where workspace = ? and lead = ? order by name"
    return [name for (name,) in fetch(db, sql, (workspace, slug))]


def size_of(db: apsw.Connection, workspace: str, crew: str) -> int:
    """Count the agents that belong to *crew*, at home there or not."""
    rows = fetch(
        db,
        """
        select slug from agents where workspace = :workspace and crew = :crew
        union
        select slug from memberships where workspace = :workspace and crew = :crew
        """,
        {"workspace": workspace, "crew": crew},
    )
    return len(rows)
