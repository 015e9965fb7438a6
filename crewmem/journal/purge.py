"""Purging: erases the text of an entry; its row and digests stay in the chain."""

from crewmem.context import Context
from crewmem.embeddings.store import erase_vectors
from crewmem.journal.archive import add_to_archive, iterate_archive
from crewmem.journal.chain import blank_row
from crewmem.storage.derived import blank_statements, forget_cases, forget_queries


def blank_entry(context: Context, entry_id: str) -> bool:
    """Blank the text of an entry inside the open transaction; return whether it had a text.

    Journal, full text, archive, vectors and derived statements are blanked. Call
    `storage.sqlite.scrub` after the transaction, which removes the remains in the file.

    Args:
        entry_id: A complete id; the entry may be archived.
    """
    db = context.db
    seq = db.value(
        "select seq from journal_entries where workspace_id = ? and id = ? and salt != ''",
        (context.workspace, entry_id),
    )
    if seq is not None:
        keys = db.column("delete from episodes where seq = ? returning vector_key", (seq,))
        erase_vectors(context, (context.workspace, "journal"), keys)
        db.execute(
            "update journal_entries set summary = '', payload = '{}', search_text = '', salt = ''"
            " where seq = ?",
            (seq,),
        )
    else:
        archived = [each for each in iterate_archive(context, ids=[entry_id]) if each[0].salt]
        if not archived:
            return False
        [(row, archived_at)] = archived
        add_to_archive(db, [blank_row(row)], archived_at)
    blank_statements(db, context.workspace, entry_id, context.now_text)
    forget_queries(db, context.workspace, entry_id)
    forget_cases(db, context.workspace, entry_id)
    return True
