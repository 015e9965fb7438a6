"""The journal, as it is kept in crewmem.db: adding to it, and reading what is there."""

from __future__ import annotations

import os
from contextlib import contextmanager

from crewmem.db.batches import batched
from crewmem.db.connect import fetch, transaction
from crewmem.db.where import Where
from crewmem.ids import NAMED, meant, new
from crewmem.journal import rows
from crewmem.journal.entry import require_valid
from crewmem.journal.rows import COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    import apsw

    from crewmem.journal.entry import Draft, Entry
    from crewmem.journal.written import Written
    from crewmem.scope import Reach

    OnAppend = Callable[[Sequence[Entry]], None]

AT_ONCE = 500
"""Most values that one statement asks for."""


class Journal:
    """What happened, in all workspaces.

    Attributes:
        key: What the chain is signed with; None: with plain hashes.
    """

    def __init__(
        self,
        db: apsw.Connection,
        *,
        chain_key: bytes | None = None,
        on_append: OnAppend | None = None,
    ) -> None:
        """Work on *db*; *on_append* is told, in the transaction, what was added."""
        self.db, self.key, self._on_append = db, chain_key, on_append

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what happens inside one change, a part of the one that is going on."""
        if self.db.in_transaction:
            yield
            return
        with transaction(self.db):
            yield

    # Adding

    def append(
        self,
        workspace: str,
        drafts: Iterable[Draft],
        *,
        now: datetime,
        randomness: Callable[[int], bytes] = os.urandom,
    ) -> list[Entry]:
        """Add *drafts*, in order, as the newest entries of *workspace*.

        All of them or none; within a transaction of the caller's it is part of that.

        Raises:
            BadEntryError: If one cannot be an entry.
            InputTooLargeError: If one is over a limit.
        """
        from crewmem.journal.written import written

        ready = []
        for draft in drafts:
            require_valid(draft)
            entry_id = draft.id or new("j", randomness)
            ready.append(written(draft, workspace, entry_id, now))
        with self.transaction():
            return self.append_written(workspace, ready)

    def append_written(self, workspace: str, ready: Sequence[Written]) -> list[Entry]:
        """Add what is *ready* to be stored; call it inside a transaction."""
        if not ready:
            return []
        from crewmem.journal.append_store import append

        entries = append(self.db, workspace, ready, self.key)
        if self._on_append:
            self._on_append(entries)
        return entries

    # Reading

    def has_entries(self, workspace: str) -> bool:
        """Tell whether anything was ever added to *workspace*."""
        from crewmem.journal.chain_store import signed_head

        return signed_head(self.db, workspace) is not None

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Entry]:
        """Return the entries at *seqs*, of which those that are not there are left out.

        It knows no scope: *seqs* are of rows that the caller may see.
        """
        found: dict[int, Entry] = {}
        for some in batched(seqs, AT_ONCE):
            where = Where()
            where.any_of("seq", some)
            for row in self._rows(where):
                found[row.seq] = row
        return found

    def by_id(self, workspace: str, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the entries of *workspace* with these *ids*, as far as there are any.

        Those in the archive are not among them. It knows no scope.
        """
        found: dict[str, Entry] = {}
        for some in batched(ids, AT_ONCE):
            where = Where()
            where.equal("workspace_id", workspace)
            where.any_of("id", some)
            found.update((row.id, row) for row in self._rows(where))
        return found

    def find(self, name: str, reach: Reach) -> Entry:
        """Return the entry, archived or not, whose id is *name* or begins with it.

        Raises:
            EntryMissingError: If there is none within *reach*.
            EntryAmbiguousError: If there are several.
            PrefixTooShortError: If it is no id, and short.
        """
        from crewmem.errors.journal import EntryAmbiguousError, EntryMissingError

        candidates: dict[str, bool] = {}
        for is_archived in (False, True):
            for found in self._begun(name, reach, is_archived=is_archived):
                candidates.setdefault(found, is_archived)
        entry_id = meant(
            name,
            [*candidates],
            missing=lambda: EntryMissingError(name, reach.workspace),
            several=lambda some: EntryAmbiguousError(name, some),
        )
        is_archived = candidates[entry_id]
        return self._whole(entry_id, reach.workspace, is_archived=is_archived)

    def _whole(self, entry_id: str, workspace: str, *, is_archived: bool) -> Entry:
        # It may have been archived since it was looked for.
        if not is_archived and (found := self.by_id(workspace, [entry_id])):
            return found[entry_id]
        from crewmem.journal import archive_store

        return archive_store.entry(self.db, workspace, entry_id)

    def _begun(self, name: str, reach: Reach, *, is_archived: bool) -> list[str]:
        """Return ids that begin with *name*, in order: itself first, if it is one."""
        table = "journal_entries_archived" if is_archived else "journal_entries"
        where = Where()
        reach.limit(where)
        where.begins("id", name)
        sql = f"select id from {table} {where} order by id limit {NAMED}"
        return [found for (found,) in fetch(self.db, sql, where.values)]

    def newest_ids(self, beginning: str, reach: Reach, limit: int) -> list[str]:
        """Return up to *limit* ids that begin with *beginning*, the newest first."""
        where = Where()
        reach.limit(where)
        where.begins("id", beginning)
        sql = f"select id from journal_entries {where} order by seq desc limit {limit}"
        return [found for (found,) in fetch(self.db, sql, where.values)]

    def neighbours(
        self, seqs: Iterable[int]
    ) -> dict[int, tuple[int | None, int | None]]:
        """Return for each of *seqs* the entries before and after it in its session.

        A session is what one trace_id holds in a workspace, by time, then place. What
        is in no session has no neighbours.
        """
        return {seq: (self._beside(seq, "<"), self._beside(seq, ">")) for seq in seqs}

    def _beside(self, seq: int, side: str) -> int | None:
        order = "desc" if side == "<" else "asc"
        sql = f"""
            select near.seq
              from journal_entries as this
              join journal_entries as near
                on near.workspace_id = this.workspace_id
               and near.trace_id = this.trace_id
               and (near.ts, near.seq) {side} (this.ts, this.seq)
             where this.seq = ?
             order by near.ts {order}, near.seq {order}
             limit 1
        """
        return next((near for (near,) in fetch(self.db, sql, (seq,))), None)

    def _rows(self, where: Where) -> list[Entry]:
        sql = f"select {COLUMNS} from journal_entries {where}"
        return [rows.entry(row) for row in fetch(self.db, sql, where.values)]
