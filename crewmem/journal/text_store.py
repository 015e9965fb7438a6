"""Is the full text of the journal what its entries say? And making it anew.

FTS5 has a check of its own, which asks for the right to write. This one only reads:
SQLite's check of the lists, both lists of entries, and of some that they are found.
"""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

TEXT = "journal_entries_fts"

SAMPLE = 200
"""Entries that are looked for by each of their words: spread evenly, the last among
them. An index goes wrong for what was written at one time, or for all."""

WORDS_EACH = 20
"""Words of an entry that are looked for."""

COLUMNS = ("summary", "payload_text")


def troubles(db: apsw.Connection) -> list[str]:
    """Return what is wrong with the full text, in a few words each; none if nothing.

    Raises:
        DatabaseDamagedError: If it cannot even be looked at.
    """
    found = [str(line) for (line,) in fetch(db, f"pragma integrity_check({TEXT})")]
    if found != ["ok"]:
        return found
    return [*_lists(db)] or [*_unfound(db)]


def _lists(db: apsw.Connection) -> Iterator[str]:
    """Compare the entries that have words with those that there are."""
    lacking, gone = fetch_one(
        db,
        f"""
        select (select count(*) from journal_entries
                 where seq not in (select id from {TEXT}_docsize)),
               (select count(*) from {TEXT}_docsize
                 where id not in (select seq from journal_entries))
        """,
    )
    if lacking:
        yield f"{lacking:,} entries are not in it"
    if gone:
        yield f"it has {gone:,} entries that are not there"


def _unfound(db: apsw.Connection) -> Iterator[str]:
    """Look for some entries by their words."""
    from crewmem.journal.tokenizer import tokenizer

    tokenize = tokenizer(db)
    missed = 0
    for seq, *texts in _some(db):
        for column, text in zip(COLUMNS, texts, strict=True):
            utf8 = text.encode()
            spelled = (utf8[first:last].decode() for first, last, _ in tokenize(text))
            words = [*dict.fromkeys(spelled)][:WORDS_EACH]
            if words and not _is_found(db, seq, column, words):
                missed += 1
                break
    if missed:
        yield f"{missed:,} of {SAMPLE} entries that were looked for are not found"


def _some(db: apsw.Connection) -> Sequence[tuple[int, str, str]]:
    sql = """
        select seq, summary, payload_text
          from journal_entries
         where seq in (select max(seq) from journal_entries
                        group by seq * :sample / (select max(seq) + 1
                                                    from journal_entries))
    """
    return fetch(db, sql, {"sample": SAMPLE})


def _is_found(db: apsw.Connection, seq: int, column: str, words: Sequence[str]) -> bool:
    """Tell whether entry *seq* is among those that have all *words* in *column*."""
    sql = f"select count(*) from {TEXT} where {TEXT} match ? and rowid = ?"
    quoted = " AND ".join('"' + word.replace('"', '""') + '"' for word in words)
    return bool(fetch_one(db, sql, (f"{column} : ({quoted})", seq))[0])


def rebuild(db: apsw.Connection) -> None:
    """Make the full text anew; call it inside a transaction."""
    with explained(db):
        db.execute(f"insert into {TEXT} ({TEXT}) values ('rebuild')")
