"""What lay in memory directories when their files were last compared with versions.

A module of its own, for every sweep asks: it imports next to nothing.
"""

from __future__ import annotations

from crewmem.db.connect import explained, fetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import apsw

FIRST_SCHEMA = 4
"""The step that makes the table: an older database has no versions."""


def all_listings(db: apsw.Connection) -> dict[tuple[str, str], dict[str, bytes]]:
    """Return, by workspace and place, what lay in each directory."""
    found: dict[tuple[str, str], dict[str, bytes]] = {}
    sql = "select workspace_id, place, directory, listing from memory_listings"
    for workspace, place, directory, listing in fetch(db, sql):
        found.setdefault((workspace, place), {})[directory] = listing
    return found


def listings(db: apsw.Connection, workspace: str, place: str) -> dict[str, bytes]:
    """Return what lay in each directory of *place*."""
    sql = """
        select directory, listing from memory_listings
         where workspace_id = ? and place = ?
    """
    return dict(fetch(db, sql, (workspace, place)))


def remember(
    db: apsw.Connection,
    workspace: str,
    place: str,
    found: Mapping[str, bytes],
    gone: Sequence[str],
) -> None:
    """Keep what was *found* in directories of *place*; forget those that are *gone*."""
    keep = "insert or replace into memory_listings values (?, ?, ?, ?)"
    drop = """
        delete from memory_listings
         where workspace_id = ? and place = ? and directory = ?
    """
    with explained(db):
        db.executemany(keep, ((workspace, place, *each) for each in found.items()))
        db.executemany(drop, ((workspace, place, each) for each in gone))
