"""Erasing what entries hold beside their summary, so that the chain stays whole.

Their hashes cover the hash of the payload; that is kept, and a checkpoint that is
signed says that the rest was taken out rightly.
"""

from __future__ import annotations

from crewmem import times
from crewmem.errors.journal import ChainKeyMissingError
from crewmem.journal import chain, chain_store, purge_store
from crewmem.journal.verify import PURGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from crewmem.journal.store import Journal
    from crewmem.journal.stored import Stored


def purge(
    journal: Journal, workspace: str, ids: Collection[str], *, now: datetime
) -> int:
    """Erase the payloads of the entries *ids*, archived or not; return of how many.

    Those that are not there, or have none, are passed over. SQLite may hold pieces of
    what was erased until its file is written anew: that is for who asks.

    Raises:
        ChainKeyMissingError: If one was written with a key, and there is none.
        ArchiveDamagedError: If one in the archive cannot be read.
    """
    with journal.transaction():
        live = purge_store.live(journal.db, workspace, ids)
        archived = purge_store.archived(journal.db, workspace, ids)
        gone = sorted((*live, *archived), key=lambda row: row.seq)
        if not gone:
            return 0
        if journal.key is None and any(chain.is_keyed(row.entry_hash) for row in gone):
            raise ChainKeyMissingError(workspace)
        purge_store.empty(journal.db, map(_emptied, live))
        purge_store.empty_archived(journal.db, map(_emptied, archived))
        chain_store.add_checkpoint(
            journal.db,
            workspace,
            [(row.seq, row.entry_hash) for row in gone],
            reason=PURGE,
            created_at=times.to_text(now),
            key=journal.key,
        )
    return len(gone)


def _emptied(row: Stored) -> Stored:
    sha = row.payload_sha or chain.digest(row.payload)
    return row._replace(payload="{}", payload_text="", payload_sha=sha)
