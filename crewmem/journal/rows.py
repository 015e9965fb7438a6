"""Rows of the journal as the records they stand for. Pure."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.journal.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.db.connect import Row
    from crewmem.journal.stored import Stored

COLUMNS = """
    seq, id, workspace_id, crew_id, agent_id, mission_id, ts, entry_type, severity,
    priority, actor_type, actor_id, summary, payload, refs, trace_id, span_id,
    expires_at, prev_hash, entry_hash
"""
"""What an `Entry` is made of, in its order."""


def entry(row: Row) -> Entry:
    """Return the record of a row of `COLUMNS`.

    Raises:
        EntryChangedError: If it was never written so.
    """
    try:
        expires_at = times.from_text(row[17]) if row[17] else None
        payload, refs = json.loads(row[13]), json.loads(row[14])
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
