"""Reading a whole chain, in its order, the archive included."""

from __future__ import annotations

from heapq import merge

from crewmem.db.connect import explained, fetch_one
from crewmem.errors.journal import ArchiveDamagedError
from crewmem.journal import archive
from crewmem.journal.stored import STORED, Stored
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

SHOWN = (
    "id, workspace_id, crew_id, agent_id, ts, entry_type, severity, priority, summary"
)
"""Columns of the archive that stand in the original as well."""


class Link(NamedTuple):
    """An entry of the chain.

    Attributes:
        row: As it was written; None: the archive does not give it back.
        is_archived: Whether it was taken out of the journal.
    """

    seq: int
    id: str
    row: Stored | None
    is_archived: bool = False


def links(db: apsw.Connection, workspace: str) -> Iterator[Link]:
    """Yield all entries of *workspace*, archived ones included, by their place."""
    return merge(_live(db, workspace), _archived(db, workspace), key=_place)


def _place(link: Link) -> int:
    return link.seq


def _live(db: apsw.Connection, workspace: str) -> Iterator[Link]:
    sql = f"select {STORED} from journal_entries where workspace_id = ? order by seq"
    with explained(db):
        for row in db.execute(sql, (workspace,)):
            stored = Stored._make(row)
            yield Link(stored.seq, stored.id, stored)


def _archived(db: apsw.Connection, workspace: str) -> Iterator[Link]:
    sql = f"""
        select seq, id, original, content_sha, payload, {SHOWN}
          from journal_entries_archived
         where workspace_id = ?
         order by seq
    """
    with explained(db):
        for seq, entry_id, original, sha, payload, *shown in db.execute(
            sql, (workspace,)
        ):
            try:
                row = archive.unpacked(original, sha, entry_id)
            except ArchiveDamagedError:
                yield Link(seq, entry_id, None, is_archived=True)
                continue
            same = (
                [getattr(row, name.strip()) for name in SHOWN.split(",")] == shown
                and row.seq == seq
                and archive.shortened(row.payload) == payload
            )
            yield Link(seq, entry_id, row if same else None, is_archived=True)


def count(db: apsw.Connection, workspace: str) -> int:
    """Return how many entries of *workspace* there are, the archive included."""
    sql = """
        select (select count(*) from journal_entries where workspace_id = :workspace)
             + (select count(*) from journal_entries_archived
                 where workspace_id = :workspace)
    """
    (number,) = fetch_one(db, sql, {"workspace": workspace})
    return int(number)


def after(db: apsw.Connection, workspace: str, previous: str) -> Stored | None:
    """Return the entry, wherever it is, that says it comes after hash *previous*."""
    sql = f"""
        select {STORED} from journal_entries
         where workspace_id = ? and prev_hash = ?
         order by seq limit 1
    """
    with explained(db):
        for row in db.execute(sql, (workspace, previous)):
            return Stored._make(row)
    return None
