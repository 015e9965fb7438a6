"""Rows of the journal as the records they stand for. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.decode import decoded
from crewmem.journal.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.db.connect import Row
    from crewmem.journal.stored import Stored

COLUMNS = ", ".join(Entry._fields[:-1])
"""What an `Entry` is made of, in its order: all but when it was archived."""


def entry(row: Row) -> Entry:
    """Return the record of a row of `COLUMNS`.

    Raises:
        EntryChangedError: If it was never written so.
    """
    try:
        expires_at = times.from_text(row[17]) if row[17] else None
        payload, refs = decoded(row[13]), decoded(row[14])
        ts = times.from_text(row[6])
    except (ValueError, RecursionError) as error:
        from crewmem.errors.journal import EntryChangedError

        raise EntryChangedError(row[1], row[0]) from error
    read = (*row[:6], ts, *row[7:13], payload, refs)
    return Entry._make((*read, *row[15:17], expires_at, *row[18:20], None))


def entry_of(row: Stored, archived_at: datetime | None = None) -> Entry:
    """Return the record of a whole row."""
    kept = (*row[:14], *row[16:])
    return entry(kept)._replace(archived_at=archived_at)
