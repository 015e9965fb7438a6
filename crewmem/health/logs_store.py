"""How far session logs are read, in numbers that one look at the screen needs."""

from __future__ import annotations

import os

from crewmem.db.connect import fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

FIRST_SCHEMA = 13
"""As in transcripts/cursor_store.py, which this does without; a test compares."""

LOOKED_AT = 2_000
"""Logs whose sizes are looked at, the last that were read: of more nobody writes."""


class Logs(NamedTuple):
    """How far the logs of a workspace are read.

    Attributes:
        files: Logs of which something was read.
        waiting: Those that have grown since.
        bytes: By how much.
        letters: Parts of which a language model is to be asked again.
        skipped: Lines that could not be read.
        losses: How often context was lost.
        read_to: When the newest turn was that was read; null if none was.
    """

    files: int = 0
    waiting: int = 0
    bytes: int = 0
    letters: int = 0
    skipped: int = 0
    losses: int = 0
    read_to: str | None = None


NO_LOGS = Logs()


def logs(db: apsw.Connection, schema: int, workspace: str) -> Logs:
    """Return how far the logs of *workspace* are read, of which none may be."""
    if schema < FIRST_SCHEMA:
        return NO_LOGS
    files, skipped, read_to = fetch_one(
        db,
        """
        select count(*), coalesce(sum(skipped), 0), max(turn_at)
          from transcript_cursors
         where workspace_id = ? and turns > 0
        """,
        (workspace,),
    )
    ((letters,),) = fetch(
        db,
        """
        select count(*) from transcript_letters
         where workspace_id = ? and status <> 'gone'
        """,
        (workspace,),
    )
    sql = "select count(*) from context_losses where workspace_id = ?"
    (losses,) = fetch_one(db, sql, (workspace,))
    if not (files or letters or losses):
        return NO_LOGS
    rows = fetch(
        db,
        f"""
        select path, at_byte from transcript_cursors
         where workspace_id = ? and turns > 0 and session = ''
         order by read_at desc limit {LOOKED_AT}
        """,
        (workspace,),
    )
    grown = [more for path, read in rows if (more := _size(path) - read) > 0]
    return Logs(files, len(grown), sum(grown), letters, skipped, losses, read_to)


def _size(path: str) -> int:
    """Return the bytes of the file at *path*; 0 if it is gone, or compressed by now."""
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
