"""How the directories of a tree looked when they were indexed. The only SQL on it."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.files.signs import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


class Directories:
    """The directories of one index."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._read: tuple[int, Known] | None = None

    def known(self) -> Known:
        """Return what is known of them: their packed listings, and signs.

        It is read again where something changed meanwhile, by whomever: of a large
        tree it is a third of a megabyte.
        """
        (version,) = fetch_one(self._db, "pragma data_version")
        if self._read is None or self._read[0] != version:
            rows = fetch(self._db, "select path, listing, sign from directories")
            known = Known(
                {path: listing for path, listing, _ in rows},
                {path: sign for path, _, sign in rows},
            )
            self._read = version, known
        return self._read[1]

    def remember(self, directory: str, listing: bytes, sign: bytes) -> None:
        """Keep what *directory* looked like."""
        self._read = None
        sql = """
            insert or replace into directories (path, listing, sign) values (?, ?, ?)
        """
        self._db.execute(sql, (directory, listing, sign))

    def forget(self, directory: str) -> None:
        """Forget *directory*, which is gone."""
        self._read = None
        self._db.execute("delete from directories where path = ?", (directory,))
