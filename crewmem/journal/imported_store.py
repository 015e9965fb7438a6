"""What of an import is in the journal already."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.journal import archive
from crewmem.journal.chain import encoded
from crewmem.journal.stored import STORED, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw


def there(db: apsw.Connection, workspace: str, ids: Sequence[str]) -> dict[str, Stored]:
    """Return the entries of *workspace* that have one of *ids*, archived or not.

    Their priority is the one that they were written with.

    Raises:
        ArchiveDamagedError: If one in the archive cannot be read.
    """
    asked = (workspace, encoded(ids))
    sql = f"""
        select {STORED} from journal_entries
         where workspace_id = ? and id in (select value from json_each(?))
    """
    found = {row[1]: Stored._make(row) for row in fetch(db, sql, asked)}
    sql = """
        select id, original, content_sha from journal_entries_archived
         where workspace_id = ? and id in (select value from json_each(?))
    """
    for entry_id, original, sha in fetch(db, sql, asked):
        found[entry_id] = archive.unpacked(original, sha, entry_id)
    if found:
        sql = """
            select entry_id, from_priority from journal_entry_priorities
             where workspace_id = ? and change = 1
               and entry_id in (select value from json_each(?))
        """
        for entry_id, priority in fetch(db, sql, (workspace, encoded([*found]))):
            found[entry_id] = found[entry_id]._replace(priority=priority)
    return found
