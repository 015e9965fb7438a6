"""How the directories of a tree looked when they were indexed. The only SQL on it."""

from __future__ import annotations

from crewmem.db.connect import fetch
from crewmem.files.signs import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


def known(db: apsw.Connection) -> Known:
    """Return what is known of the directories: their packed listings, and signs."""
    rows = fetch(db, "select path, listing, sign from directories")
    return Known(
        {path: listing for path, listing, _ in rows},
        {path: sign for path, _, sign in rows},
    )


def remember(db: apsw.Connection, directory: str, listing: bytes, sign: bytes) -> None:
    """Keep what *directory* looked like."""
    sql = "insert or replace into directories (path, listing, sign) values (?, ?, ?)"
    db.execute(sql, (directory, listing, sign))


def forget(db: apsw.Connection, directory: str) -> None:
    """Forget *directory*, which is gone."""
    db.execute("delete from directories where path = ?", (directory,))
