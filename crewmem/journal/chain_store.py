"""Where each chain ends, and where entries were taken out of it, as it is kept."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.journal import chain
from crewmem.journal.chain import Head
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw


class Checkpoint(NamedTuple):
    """Entries that were taken out rightly.

    Attributes:
        removed: JSON: of each its place and its hash, by place.
    """

    id: int
    workspace: str
    created_at: str
    reason: str
    removed: str
    mac: str

    def is_signed(self, key: bytes | None) -> bool:
        """Tell whether it is as it was signed."""
        text = chain.checkpoint_text(*self[1:5])
        return chain.is_signed(self.mac, text, key)


def head(db: apsw.Connection, workspace: str) -> Head:
    """Return where the chain of *workspace* ends."""
    found = signed_head(db, workspace)
    return found[0] if found else Head()


def signed_head(db: apsw.Connection, workspace: str) -> tuple[Head, str] | None:
    """Return where the chain of *workspace* ends, and how that was signed."""
    sql = """
        select entries, last_seq, last_hash, mac from journal_chains
         where workspace_id = ?
    """
    for entries, last_seq, last_hash, mac in fetch(db, sql, (workspace,)):
        return Head(entries, last_seq, last_hash), mac
    return None


def set_head(db: apsw.Connection, workspace: str, new: Head, key: bytes | None) -> None:
    """Keep where the chain of *workspace* ends from now on."""
    mac = chain.signed(chain.head_text(workspace, new), key)
    sql = """
        insert or replace into journal_chains
               (workspace_id, entries, last_seq, last_hash, mac)
        values (?, ?, ?, ?, ?)
    """
    with explained(db):
        db.execute(sql, (workspace, *new, mac))


def last_seq(db: apsw.Connection) -> int:
    """Return the highest place that was ever given away, in any workspace."""
    sql = """
        select max(coalesce((select max(last_seq) from journal_chains), 0),
                   coalesce((select max(seq) from journal_entries), 0))
    """
    (last,) = fetch_one(db, sql)
    return int(last)


def add_checkpoint(
    db: apsw.Connection,
    workspace: str,
    removed: Sequence[tuple[int, str]],
    *,
    reason: str,
    created_at: str,
    key: bytes | None,
) -> None:
    """Say that entries are *removed*, of each its place and its hash, by place."""
    listed = chain.encoded(removed)
    text = chain.checkpoint_text(workspace, created_at, reason, listed)
    sql = """
        insert into journal_checkpoints
               (workspace_id, created_at, reason, removed, mac)
        values (?, ?, ?, ?, ?)
    """
    mac = chain.signed(text, key)
    with explained(db):
        db.execute(sql, (workspace, created_at, reason, listed, mac))


def checkpoints(db: apsw.Connection, workspace: str) -> Iterator[Checkpoint]:
    """Yield the checkpoints of *workspace*, in the order they were made."""
    sql = """
        select id, workspace_id, created_at, reason, removed, mac
          from journal_checkpoints
         where workspace_id = ?
         order by id
    """
    with explained(db):
        for row in db.execute(sql, (workspace,)):
            yield Checkpoint(*row)
