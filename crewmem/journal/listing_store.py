"""Entries by what is asked of them: listed, counted, and followed as they come."""

from __future__ import annotations

from contextlib import closing

from crewmem.db.connect import connect_memory, explained, fetch, one_moment
from crewmem.journal import rows
from crewmem.journal.filter import Cursor
from crewmem.journal.rows import COLUMNS
from crewmem.journal.tokenizer import TOKENIZER
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import apsw

    from crewmem.db.connect import Bound
    from crewmem.db.where import Where
    from crewmem.journal.entry import Entry
    from crewmem.journal.filter import Filter

LIVE, ARCHIVE = "journal_entries", "journal_entries_archived"

MATCHES = """
    seq in (select rowid from journal_entries_fts
             where journal_entries_fts match ?)
"""

BY = {
    "type": "entry_type",
    "agent": "coalesce(agent_id, '')",
    "day": "substr(ts, 1, 16)",
}
"""What entries are counted by. Days are of a time zone, which SQLite does not know: it
counts minutes."""

EACH = 500
"""Archived entries whose words are looked at together."""


class Page(NamedTuple):
    """A part of a listing.

    Attributes:
        next: From where the next part goes on; None: there is none.
    """

    entries: list[Entry]
    next: Cursor | None


def page(
    db: apsw.Connection, wanted: Filter, *, limit: int, after: Cursor | None = None
) -> Page:
    """Return the newest entries, newest first, that are older than *after*."""
    more = limit + 1
    with one_moment(db):  # what is archived meanwhile is listed once
        found = [rows.entry(row) for row in _live(db, wanted, more, after)]
        if wanted.with_archive:
            found += _archived(db, wanted, more, after)
            found.sort(key=lambda entry: (entry.ts, entry.seq), reverse=True)
    if len(found) < more:
        return Page(found, None)
    return Page(found[:limit], cursor_of(found[limit - 1]))


def cursor_of(entry: Entry) -> Cursor:
    """Return from where a listing goes on after *entry*."""
    from crewmem import times

    return Cursor(times.to_text(entry.ts), entry.seq)


def newer(
    db: apsw.Connection,
    wanted: Filter,
    *,
    seq: int,
    limit: int,
    archived_after: int | None = None,
) -> list[Entry]:
    """Return the first entries that were added after *seq*, in that order.

    Each gets its place within the transaction that adds it, so none comes late.

    Args:
        archived_after: What was added after this place is among them also where
            compaction has archived it since; None: of the archive nothing is.
    """
    with one_moment(db):  # what is archived meanwhile is shown once
        where = _with_words(wanted)
        where.holds("seq > ?", seq)
        # By place, whatever else is asked: other indexes read a journal to its end.
        sql = f"""
            select {COLUMNS} from {LIVE} not indexed {where} order by seq limit ?
        """
        found = [rows.entry(row) for row in fetch(db, sql, (*where.values, limit))]
        if archived_after is not None:
            found += _archived_newer(db, wanted, max(seq, archived_after), limit)
            found.sort(key=lambda entry: entry.seq)
    return found[:limit]


def _archived_newer(
    db: apsw.Connection, wanted: Filter, seq: int, limit: int
) -> list[Entry]:
    from crewmem.journal import archive_store

    where = wanted.where()
    where.holds("seq > ?", seq)
    sql = f"""
        select {archive_store.COLUMNS} from {ARCHIVE} indexed by archive_by_seq {where}
         order by seq
    """
    return _restored(db, wanted, sql, where.values, limit)


def _live(
    db: apsw.Connection, wanted: Filter, limit: int, after: Cursor | None
) -> list[Any]:
    """Return rows of `COLUMNS`, newest first.

    Places are sorted, then read: rows with their payloads took four times as long.
    """
    where = _with_words(wanted)
    _go_on(where, after)
    sql = f"""
        select {COLUMNS} from {LIVE}
         where seq in (select seq from {LIVE} {where}
                        order by ts desc, seq desc limit ?)
         order by ts desc, seq desc
    """
    return fetch(db, sql, (*where.values, limit))


def _with_words(wanted: Filter) -> Where:
    where = wanted.where()
    if wanted.words is not None:
        # FTS5 refuses an empty expression, which is what matches nothing.
        where.holds(MATCHES, wanted.words or '""')
    return where


def _go_on(where: Where, after: Cursor | None) -> None:
    if after:
        where.holds("(ts, seq) < (?, ?)", *after)


def _archived(
    db: apsw.Connection, wanted: Filter, limit: int, after: Cursor | None
) -> list[Entry]:
    """Return archived entries as they were, newest first."""
    from crewmem.journal import archive_store

    where = wanted.where()
    _go_on(where, after)
    sql = f"""
        select {archive_store.COLUMNS} from {ARCHIVE} {where}
         order by ts desc, seq desc
    """
    return _restored(db, wanted, sql, where.values, limit)


def _restored(
    db: apsw.Connection, wanted: Filter, sql: str, values: Sequence[Bound], limit: int
) -> list[Entry]:
    """Return up to *limit* of the archived entries that *sql* finds and words fit."""
    from crewmem.journal import archive_store

    if wanted.words is None:
        found = fetch(db, f"{sql} limit ?", (*values, limit))
        return [archive_store.restored(row) for row in found]
    entries: list[Entry] = []
    with explained(db), closing(_Words(wanted.words)) as words:
        # Not all at once: an archive is of any size.
        cursor = db.execute(sql, values)
        while len(entries) < limit and (some := _some(cursor)):
            entries += words.matching(map(archive_store.restored, some))
    return entries[:limit]


def _some(cursor: apsw.Cursor) -> list[Any]:
    from itertools import islice

    return list(islice(cursor, EACH))


class _Words:
    """The words of archived entries, which have no full text of their own.

    Whoever searches the archive waits for it: it is indexed as it is read, in memory,
    by the tokenizer of the journal, so that the same words are found.
    """

    def __init__(self, expression: str) -> None:
        self._expression, self._db = expression or '""', connect_memory()
        self._db.execute(
            "create virtual table words using fts5(summary, payload_text,"
            f" tokenize = '{TOKENIZER[0]} {' '.join(TOKENIZER[1])}')"
        )

    def matching(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return those of *entries* that match, in their order."""
        from crewmem.journal.payload_text import payload_text

        among = list(entries)
        self._db.execute("begin; delete from words")
        self._db.executemany(
            "insert into words (rowid, summary, payload_text) values (?, ?, ?)",
            [
                (at, each.summary, payload_text(each.payload))
                for at, each in enumerate(among)
            ],
        )
        sql = "select rowid from words where words match ? order by rowid"
        found = [among[at] for (at,) in fetch(self._db, sql, (self._expression,))]
        self._db.execute("commit")
        return found

    def close(self) -> None:
        """Let go of them."""
        self._db.close()


def counts(db: apsw.Connection, wanted: Filter, by: str) -> list[tuple[str, int]]:
    """Count entries by one of `BY`; in no order."""
    column = BY[by]
    if wanted.with_archive and wanted.words is not None:
        return _counted_one_by_one(db, wanted, by)
    where = _with_words(wanted)
    sql = f"select {column}, count(*) from {LIVE} {where} group by 1"
    found = fetch(db, sql, where.values)
    if wanted.with_archive:
        where = wanted.where()
        sql = f"select {column}, count(*) from {ARCHIVE} {where} group by 1"
        found += fetch(db, sql, where.values)
    return [(str(key), int(count)) for key, count in found]


def _counted_one_by_one(
    db: apsw.Connection, wanted: Filter, by: str
) -> list[tuple[str, int]]:
    """Count what no statement can: archived entries by their words."""
    live = counts(db, wanted._replace(with_archive=False), by)
    found = _archived(db, wanted, 1 << 62, None)
    return [*live, *((_key(entry, by), 1) for entry in found)]


def _key(entry: Entry, by: str) -> str:
    if by == "type":
        return entry.entry_type
    return entry.agent_id or "" if by == "agent" else cursor_of(entry).ts[:16]


def beside(db: apsw.Connection, workspace: str, ids: Sequence[str]) -> list[str]:
    """Return the ids, archived ones too, beside each of *ids* in the order of text."""
    from crewmem.db import beside_store

    return beside_store.beside(db, [LIVE, ARCHIVE], workspace, ids)
