"""Changing what an entry matters later. Every change is kept, with its reason."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.journal import EntryArchivedError
from crewmem.journal import chain, priorities_store
from crewmem.journal.priorities import Change
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from crewmem.journal.entry import Entry
    from crewmem.journal.store import Journal


class Pinned(NamedTuple):
    """A change of a priority.

    Attributes:
        entry: The entry as it is now.
        from_priority: Its priority before.
        changed: Whether it had another one.
        change: Which change of it this is, counted from 1; 0 for none.
        reason: Why.
        by: Who did it.
    """

    entry: Entry
    from_priority: str
    changed: bool
    change: int
    reason: str
    by: str


def pin(
    journal: Journal,
    entry: Entry,
    priority: str,
    *,
    reason: str,
    by: str,
    now: datetime,
    also: Callable[[Entry], None] | None = None,
) -> Pinned:
    """Give *entry* another priority; *also* is told of it in the transaction.

    Raises:
        EntryArchivedError: If it is archived.
    """
    with journal.transaction():
        current = journal.by_seq([entry.seq]).get(entry.seq)
        if current is None:
            raise EntryArchivedError(entry.id)
        before = current.priority
        if before == priority:
            return Pinned(
                current, before, changed=False, change=0, reason=reason, by=by
            )
        workspace, key = entry.workspace_id, journal.key
        known = priorities_store.changes(journal.db, workspace, [entry.id])
        number = len(known.get(entry.id, ())) + 1
        at = times.to_text(now)
        fields = (workspace, entry.id, number, before, priority, reason, by, at)
        mac = chain.signed(chain.priority_text(fields), key)
        priorities_store.add(journal.db, Change(*fields, mac))
        after = current._replace(priority=priority)
        if also:
            also(after)
    return Pinned(after, before, changed=True, change=number, reason=reason, by=by)
