"""Entries that compaction took out of the journal, as they are kept."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.errors.journal import ArchiveDamagedError, EntryMissingError
from crewmem.errors.values import BadTimeError
from crewmem.journal import archive, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from crewmem.db.connect import Row
    from crewmem.journal.entry import Entry
    from crewmem.journal.stored import Stored

COLUMNS = "id, original, content_sha, archived_at"
"""What an entry is made of again."""


def entry(db: apsw.Connection, workspace: str, entry_id: str) -> Entry:
    """Return an entry as it was before it was archived.

    Raises:
        EntryMissingError: If the archive does not have it.
        ArchiveDamagedError: If it is not what was archived.
    """
    sql = f"""
        select {COLUMNS} from journal_entries_archived
         where workspace_id = ? and id = ?
    """
    for row in fetch(db, sql, (workspace, entry_id)):
        return restored(row)
    raise EntryMissingError(entry_id, workspace)


def restored(row: Row) -> Entry:
    """Return the entry that a row of `COLUMNS` holds.

    Raises:
        ArchiveDamagedError: If it is not what was archived.
    """
    entry_id, original, sha, archived_at = row
    stored = archive.unpacked(original, sha, entry_id)
    try:
        return rows.entry_of(stored, times.from_text(archived_at))
    except BadTimeError as error:
        raise ArchiveDamagedError(entry_id) from error


def add(db: apsw.Connection, taken: Iterable[Stored], archived_at: str) -> None:
    """Put rows of the journal into the archive; inside a transaction."""
    sql = """
        insert into journal_entries_archived
               (id, workspace_id, crew_id, agent_id, seq, ts, entry_type, severity,
                priority, summary, payload, archived_at, original, content_sha)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    with explained(db):
        db.executemany(
            sql,
            (
                (
                    row.id,
                    row.workspace_id,
                    row.crew_id,
                    row.agent_id,
                    row.seq,
                    row.ts,
                    row.entry_type,
                    row.severity,
                    row.priority,
                    row.summary,
                    archive.shortened(row.payload),
                    archived_at,
                    *archive.packed(row),
                )
                for row in taken
            ),
        )
