"""The journal as a bundle has it: whole entries, those in the archive among them."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.errors.journal import ArchiveDamagedError, EntryChangedError
from crewmem.journal import archive_store, priorities, priorities_store, rows
from crewmem.journal.chain import encoded
from crewmem.journal.rows import COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw

    from crewmem.db.connect import Row
    from crewmem.journal.entry import Entry
    from crewmem.journal.filter import Filter

AT_ONCE = 1_000
"""Entries that are read together, of the journal and of the archive."""

LIVE, ARCHIVE = "journal_entries", "journal_entries_archived"


def entries(
    db: apsw.Connection, wanted: Filter, damaged: Callable[[str], None]
) -> Iterator[Entry]:
    """Yield entries, archived or not, by their place, with the priority at writing.

    What cannot be read is told to *damaged*, and left out. Call it inside one moment.
    """
    where = wanted.where()
    sql = f"""
        select seq, false from {LIVE} {where}
         union all select seq, true from {ARCHIVE} {where}
         order by 1
    """
    places = fetch(db, sql, (*where.values, *where.values))
    first = _first_priorities(db, wanted.reach.workspace)
    for start in range(0, len(places), AT_ONCE):
        some = places[start : start + AT_ONCE]
        for entry in _read(db, some, damaged):
            yield entry._replace(priority=first.get(entry.id, entry.priority))


def _first_priorities(db: apsw.Connection, workspace: str) -> dict[str, str]:
    changes = priorities_store.changes(db, workspace)
    return {
        entry_id: priorities.at_writing("", some) for entry_id, some in changes.items()
    }


def _read(
    db: apsw.Connection,
    places: Sequence[Row],
    damaged: Callable[[str], None],
) -> Iterator[Entry]:
    found: dict[int, Entry] = {}
    for table, columns, read, is_archive in (
        (LIVE, COLUMNS, rows.entry, 0),
        (ARCHIVE, f"seq, {archive_store.COLUMNS}", _restored, 1),
    ):
        seqs = [seq for seq, is_archived in places if is_archived == is_archive]
        sql = f"""
            select {columns} from {table}
             where seq in (select value from json_each(?))
        """
        for row in fetch(db, sql, (encoded(seqs),)) if seqs else ():
            try:
                found[row[0]] = read(row)
            except (EntryChangedError, ArchiveDamagedError) as error:
                damaged(str(error))
    return (found[seq] for seq, _ in places if seq in found)


def _restored(row: Row) -> Entry:
    return archive_store.restored(row[1:])
