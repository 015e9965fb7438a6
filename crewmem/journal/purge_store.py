"""Entries whose payload is erased, as they are found and emptied."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch
from crewmem.journal import archive
from crewmem.journal.stored import STORED, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import apsw

TABLES = ("journal_entries", "journal_entries_archived")


def naming(
    db: apsw.Connection, workspace: str, field: str, values: Collection[str]
) -> list[str]:
    """Return the ids of entries, archived ones too, whose payload has one of *values*.

    It is looked for at the top of the payload, under the name *field*.
    """
    from crewmem.journal.chain import encoded

    path, listed = f'$."{field}"', encoded([*values])
    found: list[str] = []
    for table in TABLES:
        sql = f"""
            select id from {table}
             where workspace_id = ?
               and instr(payload, ?) and json_valid(payload)
               and json_extract(payload, ?) in (select value from json_each(?))
             order by seq
        """
        asked = (workspace, encoded(field), path, listed)
        found += [entry_id for (entry_id,) in fetch(db, sql, asked)]
    return found


def live(db: apsw.Connection, workspace: str, ids: Iterable[str]) -> list[Stored]:
    """Return those of *ids* that are in the journal and have a payload, by place."""
    from crewmem.journal.chain import encoded

    sql = f"""
        select {STORED} from journal_entries
         where workspace_id = ? and payload <> '{{}}'
           and id in (select value from json_each(?))
         order by seq
    """
    return [Stored._make(row) for row in fetch(db, sql, (workspace, encoded([*ids])))]


def archived(db: apsw.Connection, workspace: str, ids: Iterable[str]) -> list[Stored]:
    """Return those of *ids* that are in the archive and have a payload, by place.

    Raises:
        ArchiveDamagedError: If one of them cannot be read.
    """
    from crewmem.journal.chain import encoded

    sql = """
        select id, original, content_sha from journal_entries_archived
         where workspace_id = ? and payload <> '{}'
           and id in (select value from json_each(?))
         order by seq
    """
    rows = fetch(db, sql, (workspace, encoded([*ids])))
    return [
        archive.unpacked(original, sha, entry_id) for entry_id, original, sha in rows
    ]


def empty(db: apsw.Connection, rows: Iterable[Stored]) -> None:
    """Keep *rows* of the journal as they are now; inside a transaction."""
    sql = """
        update journal_entries
           set payload = ?, payload_text = ?, payload_sha = ?
         where seq = ?
    """
    with explained(db):
        db.executemany(
            sql,
            ((row.payload, row.payload_text, row.payload_sha, row.seq) for row in rows),
        )


def empty_archived(db: apsw.Connection, rows: Iterable[Stored]) -> None:
    """Keep *rows* of the archive as they are now; inside a transaction."""
    sql = """
        update journal_entries_archived
           set payload = ?, original = ?, content_sha = ?
         where seq = ?
    """
    with explained(db):
        db.executemany(
            sql,
            ((row.payload, *archive.packed(row), row.seq) for row in rows),
        )
