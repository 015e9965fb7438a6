"""Old entries, as compaction reads them and takes them out."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.where import Where
from crewmem.journal.chain import encoded
from crewmem.journal.compaction import PRIORITIES, SEVERITIES
from crewmem.journal.stored import STORED, Stored
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import apsw


class Candidate(NamedTuple):
    """What decides whether an old entry is archived."""

    seq: int
    id: str
    crew: str | None
    ts: str
    entry_type: str
    severity: str
    payload: str
    refs: str


def _open_to_it(workspace: str) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    where.any_of("severity", SEVERITIES)
    where.any_of("priority", PRIORITIES)
    return where


def candidates(db: apsw.Connection, workspace: str, before: str) -> Iterator[Candidate]:
    """Yield entries from before a time whose severity and priority let them go."""
    where = _open_to_it(workspace)
    where.below("ts", before)
    sql = f"""
        select seq, id, crew_id, ts, entry_type, severity, payload, refs
          from journal_entries {where}
         order by ts, seq
    """
    with explained(db):
        for row in db.execute(sql, where.values):
            yield Candidate._make(row)


def still_there(
    db: apsw.Connection, workspace: str, seqs: Sequence[int]
) -> list[Stored]:
    """Return the entries at *seqs* that may still go, by time."""
    where = _open_to_it(workspace)
    where.holds("seq in (select value from json_each(?))", encoded(seqs))
    sql = f"select {STORED} from journal_entries {where} order by ts, seq"
    return [Stored._make(row) for row in fetch(db, sql, where.values)]


def remove(db: apsw.Connection, seqs: Sequence[int]) -> None:
    """Take entries out of the journal; inside a transaction."""
    sql = "delete from journal_entries where seq in (select value from json_each(?))"
    with explained(db):
        db.execute(sql, (encoded(seqs),))


def seqs_of(db: apsw.Connection, workspace: str, ids: Iterable[str]) -> set[int]:
    """Return the places of the entries of *workspace* that have one of *ids*."""
    sql = """
        select seq from journal_entries
         where workspace_id = ? and id in (select value from json_each(?))
    """
    return {seq for (seq,) in fetch(db, sql, (workspace, encoded([*ids])))}


def as_of(db: apsw.Connection) -> int:
    """Return a number that is another one when somebody else has changed *db*."""
    (found,) = fetch_one(db, "pragma data_version")
    return int(found)


def rows_at(db: apsw.Connection, seqs: Sequence[int]) -> list[Stored]:
    """Return the entries at *seqs*, by place."""
    sql = f"""
        select {STORED} from journal_entries
         where seq in (select value from json_each(?))
         order by seq
    """
    return [Stored._make(row) for row in fetch(db, sql, (encoded(seqs),))]
