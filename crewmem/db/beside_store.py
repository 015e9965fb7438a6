"""Ids that stand beside others: they say how short one may be written."""

from __future__ import annotations

from crewmem.db.connect import fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw


def beside(
    db: apsw.Connection, tables: Sequence[str], workspace: str, ids: Iterable[str]
) -> list[str]:
    """Return the ids of *tables* beside each of *ids*, in the order of text."""
    near: list[str] = []
    for each in ids:
        for table in tables:
            for side, order in (("<", "desc"), (">", "asc")):
                sql = f"""
                    select id from {table}
                     where workspace_id = ? and id {side} ?
                     order by id {order} limit 1
                """
                near += [found for (found,) in fetch(db, sql, (workspace, each))]
    return near
