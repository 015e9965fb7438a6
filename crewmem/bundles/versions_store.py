"""Versions of memory files as a bundle has them: all of them, and new ones added."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch
from crewmem.journal.chain import encoded
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import apsw


class Row(NamedTuple):
    """A version as it is kept.

    Attributes:
        path: The file, as agent:harbor/mira/AGENT.md.
        kept: The hash of what is kept of it; None where nothing is.
    """

    id: str
    path: str
    tier: str
    sha256: str
    bytes: int
    parent: str | None
    written_at: str
    written_by: str
    operation: str
    kept: str | None


COLUMNS = ", ".join(Row._fields)


def rows(db: apsw.Connection, workspace: str) -> Iterator[Row]:
    """Yield the versions of all files of *workspace*, in the order of their places."""
    sql = f"""
        select {COLUMNS} from memory_versions where workspace_id = ? order by seq
    """
    with explained(db):
        for row in db.execute(sql, (workspace,)):
            yield Row._make(row)


def newest_hashes(db: apsw.Connection, workspace: str) -> dict[str, str]:
    """Return the hash of the newest version of each file of *workspace*."""
    sql = """
        select path, sha256, max(seq) from memory_versions
         where workspace_id = ?
         group by path
    """
    return {path: sha for path, sha, _ in fetch(db, sql, (workspace,))}


def ids_by_path(db: apsw.Connection, workspace: str) -> dict[str, list[str]]:
    """Return the ids of the versions of each file of *workspace*, oldest first."""
    found: dict[str, list[str]] = {}
    sql = "select path, id from memory_versions where workspace_id = ? order by seq"
    for path, version_id in fetch(db, sql, (workspace,)):
        found.setdefault(path, []).append(version_id)
    return found


def taken(db: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Return those of *ids* that some version has, of whatever workspace."""
    sql = """
        select id from memory_versions where id in (select value from json_each(?))
    """
    return {str(found) for (found,) in fetch(db, sql, (encoded(ids),))}


def add(db: apsw.Connection, workspace: str, new: Iterable[Row]) -> None:
    """Add versions as the newest of their files; inside a transaction."""
    sql = f"""
        insert into memory_versions (workspace_id, {COLUMNS})
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    with explained(db):
        db.executemany(sql, ((workspace, *row) for row in new))
