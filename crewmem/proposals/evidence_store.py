"""What proposals that wait for a person lean on: whatever they name."""

from __future__ import annotations

from crewmem.db.connect import fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


def named(db: apsw.Connection, workspace: str) -> set[str]:
    """Return every text in the evidence and the body of proposals that are open.

    Ids are among them, of entries as of anything else; who asks knows which is which.
    """
    sql = """
        select distinct each.value
          from proposals, json_tree(json_array(json(evidence), json(body))) each
         where workspace_id = ? and status = 'open' and each.type = 'text'
    """
    return {value for (value,) in fetch(db, sql, (workspace,))}
