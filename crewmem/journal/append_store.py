"""Putting what was written at the end of a journal: its chain, its rows, its words."""

from __future__ import annotations

from itertools import pairwise

from crewmem.db.connect import explained
from crewmem.journal import chain, chain_store
from crewmem.journal.chain import Head
from crewmem.journal.stored import NAMES, STORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from crewmem.journal.entry import Entry
    from crewmem.journal.written import Written

MANY = 50
"""Entries from which on their words are indexed by one statement, not by triggers."""

MARKS = ", ".join("?" * len(NAMES))


def append(
    db: apsw.Connection, workspace: str, ready: Sequence[Written], key: bytes | None
) -> list[Entry]:
    """Add *ready*, of which there are some, to *workspace*; inside a transaction."""
    head = chain_store.head(db, workspace)
    first = chain_store.last_seq(db) + 1
    hashes = [head.last_hash]
    for seq, each in enumerate(ready, first):
        text = chain.linked(hashes[-1], seq, each.content)
        hashes.append(chain.signed(text, key))
    linked = list(
        zip(range(first, first + len(ready)), ready, pairwise(hashes), strict=True)
    )
    _insert(db, [(seq, *each.fields, *pair) for seq, each, pair in linked])
    end = Head(head.entries + len(ready), first + len(ready) - 1, hashes[-1])
    chain_store.set_head(db, workspace, end, key)
    return [each.entry(seq, *pair) for seq, each, pair in linked]


def _insert(
    db: apsw.Connection, linked: Sequence[tuple[int | str | None, ...]]
) -> None:
    """Put rows, by place, into the table, and their words into the full text."""
    sql = f"insert into journal_entries ({STORED}) values ({MARKS})"
    many = len(linked) >= MANY
    with explained(db):
        if many:
            db.execute("update journal_bulk set is_open = 1")
        db.executemany(sql, linked)
        if many:
            db.execute(
                """
                insert into journal_entries_fts (rowid, summary, payload_text)
                select seq, summary, payload_text from journal_entries
                 where seq >= ?
                """,
                (linked[0][0],),
            )
            db.execute("update journal_bulk set is_open = 0")
