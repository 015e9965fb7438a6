"""The full text of the journal, as it is compared with its entries and made anew."""

from __future__ import annotations

from crewmem.db.connect import explained
from crewmem.db.full_text_store import FullText

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

TEXT = FullText(
    name="journal_entries_fts",
    content="journal_entries",
    columns=("summary", "payload_text"),
    rows="entries",
)


def settle(db: apsw.Connection) -> None:
    """Leave no word in the full text that no entry has; inside a transaction.

    What was deleted lies in it until its parts are put together.
    """
    with explained(db):
        db.execute(
            "insert into journal_entries_fts (journal_entries_fts) values ('optimize')"
        )
