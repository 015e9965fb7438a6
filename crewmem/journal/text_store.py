"""The full text of the journal: is it what its entries say, and making it anew."""

from __future__ import annotations

from crewmem.db.connect import explained
from crewmem.db.full_text_store import FullText
from crewmem.journal.tokenizer import tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

TEXT = FullText(
    name="journal_entries_fts",
    content="journal_entries",
    columns=("summary", "payload_text"),
    rows="entries",
)


def troubles(db: apsw.Connection) -> list[str]:
    """Return what is wrong with the full text, in a few words each; none if nothing.

    Raises:
        DatabaseDamagedError: If it cannot even be looked at.
    """
    return TEXT.troubles(db, tokenizer(db))


def rebuild(db: apsw.Connection) -> None:
    """Make the full text anew; call it inside a transaction."""
    TEXT.rebuild(db)


def settle(db: apsw.Connection) -> None:
    """Leave no word in the full text that no entry has; inside a transaction.

    What was deleted lies in it until its parts are put together.
    """
    with explained(db):
        db.execute(
            "insert into journal_entries_fts (journal_entries_fts) values ('optimize')"
        )
