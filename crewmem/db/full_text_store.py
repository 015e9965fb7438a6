"""Is a full text what its table says? And making it anew.

FTS5 has a check of its own, which asks for the right to write. This one only reads:
SQLite's check of the lists, both lists of rows, and of some that they are found.
"""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw

    Tokenize = Callable[[str], Sequence[tuple[int, int, str]]]

SAMPLE = 200
"""Rows that are looked for by each of their words: spread evenly, the last among
them. An index goes wrong for what was written at one time, or for all."""

WORDS_EACH = 20
"""Words of a row that are looked for."""


class FullText(NamedTuple):
    """A full text with external content, whose rows have a number called seq.

    Attributes:
        name: The table of FTS5.
        content: The table whose words it has.
        columns: Its columns; the content has them as well.
        rows: What its rows are called, in a sentence.
    """

    name: str
    content: str
    columns: tuple[str, ...]
    rows: str

    def troubles(self, db: apsw.Connection, tokenize: Tokenize) -> list[str]:
        """Return what is wrong with it, in a few words each; none if nothing.

        Raises:
            DatabaseDamagedError: If it cannot even be looked at.
        """
        found = [
            str(line) for (line,) in fetch(db, f"pragma integrity_check({self.name})")
        ]
        if found != ["ok"]:
            return found
        return [*self._lists(db)] or [*self._unfound(db, tokenize)]

    def rebuild(self, db: apsw.Connection) -> None:
        """Make it anew; call it inside a transaction."""
        with explained(db):
            db.execute(f"insert into {self.name} ({self.name}) values ('rebuild')")

    def _lists(self, db: apsw.Connection) -> Iterator[str]:
        """Compare the rows that have words with those that there are."""
        lacking, gone = fetch_one(
            db,
            f"""
            select (select count(*) from {self.content}
                     where seq not in (select id from {self.name}_docsize)),
                   (select count(*) from {self.name}_docsize
                     where id not in (select seq from {self.content}))
            """,
        )
        if lacking:
            yield f"{lacking:,} {self.rows} are not in it"
        if gone:
            yield f"it has {gone:,} {self.rows} that are not there"

    def _unfound(self, db: apsw.Connection, tokenize: Tokenize) -> Iterator[str]:
        """Look for some rows by their words."""
        missed = 0
        for seq, *texts in self._some(db):
            for column, text in zip(self.columns, texts, strict=True):
                utf8 = text.encode()
                spelled = (
                    utf8[first:last].decode() for first, last, _ in tokenize(text)
                )
                words = [*dict.fromkeys(spelled)][:WORDS_EACH]
                if words and not self._is_found(db, seq, column, words):
                    missed += 1
                    break
        if missed:
            sought = f"{SAMPLE} {self.rows} that were looked for"
            yield f"{missed:,} of {sought} are not found"

    def _some(self, db: apsw.Connection) -> Sequence[tuple[int, *tuple[str, ...]]]:
        sql = f"""
            select seq, {", ".join(self.columns)}
              from {self.content}
             where seq in (select max(seq) from {self.content}
                            group by seq * :sample / (select max(seq) + 1
                                                        from {self.content}))
        """
        return fetch(db, sql, {"sample": SAMPLE})

    def _is_found(
        self, db: apsw.Connection, seq: int, column: str, words: Sequence[str]
    ) -> bool:
        """Tell whether row *seq* is among those that have all *words* in *column*."""
        sql = (
            f"select count(*) from {self.name} where {self.name} match ? and rowid = ?"
        )
        quoted = " AND ".join('"' + word.replace('"', '""') + '"' for word in words)
        return bool(fetch_one(db, sql, (f"{column} : ({quoted})", seq))[0])
