"""The full text of memories: is it what they say, and making it anew."""

from __future__ import annotations

from crewmem.db.full_text_store import FullText
from crewmem.journal.tokenizer import tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

TEXT = FullText(
    name="memories_fts",
    content="memories",
    columns=("title", "content", "labels"),
    rows="memories",
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
