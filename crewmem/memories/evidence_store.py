"""What live memories lean on: whatever their sources and their metadata name."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.memories.lifecycle import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


def named(db: apsw.Connection, workspace: str) -> set[str]:
    """Return every text in the sources and metadata of memories that are in use.

    Ids are among them, of entries as of anything else; who asks knows which is which.
    """
    found: set[str] = set()
    for column, empty in (("source_spans", "[]"), ("metadata", "{}")):
        sql = f"""
            select distinct each.value
              from memories, json_tree(memories.{column}) each
             where workspace_id = ?
               and status in {LIVE}
               and memories.{column} <> '{empty}'
               and each.type = 'text'
        """
        found.update(value for (value,) in fetch(db, sql, (workspace,)))
    return found
