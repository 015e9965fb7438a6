"""Purging: erases the text of an entry; its row and digests stay in the chain."""

from collections.abc import Collection

from crewmem.context import Context
from crewmem.embeddings.store import erase_vectors
from crewmem.journal.archive import add_to_archive, iterate_archive
from crewmem.journal.chain import Chains, blank_row, store_signed


def blank_entries(context: Context, chains: Chains, entry_ids: Collection[str]) -> int:
    """Blank the text of entries inside the open transaction; return how many had a text.

    Journal, full text, archive and vectors are blanked. Call `storage.sqlite.scrub` after the
    transaction, which removes the remains in the file.

    Args:
        entry_ids: Complete ids.
    """
    context.db.execute("pragma secure_delete = on")
    chains.require_key()
    blanked = [each for each in entry_ids if blank_entry(context, each)]
    for entry_id in blanked:
        store_signed(context, "purge", entry_id, str(context.access.actor), context.now_text)
    return len(blanked)


def blank_entry(context: Context, entry_id: str) -> bool:
    """Blank the text of an entry, which may be archived; return whether it had a text."""
    seq = context.db.value(
        "select seq from journal_entries where workspace_id = ? and id = ? and salt != ''",
        (context.workspace, entry_id),
    )
    if seq is None:
        for row, archived_at in iterate_archive(context, ids=[entry_id]):
            if row.salt:
                add_to_archive(context.db, [blank_row(row)], archived_at)
                return True
        return False
    keys = context.db.all("delete from episodes where seq = ? returning vector_key", (seq,))
    erase_vectors(context, (context.workspace, "journal"), [key for (key,) in keys])
    context.db.execute(
        "delete from recalls where workspace_id = ? and refs like '%\"' || ? || '\"%'",
        (context.workspace, entry_id),
    )
    context.db.execute(
        "update journal_entries set summary = '', payload = '{}', search_text = '', salt = ''"
        " where seq = ?",
        (seq,),
    )
    return True
