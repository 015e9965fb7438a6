"""Showing entries of the journal as they are added."""

from __future__ import annotations

import select
from pathlib import Path

import click

from crewmem.cli.journal.filters import filter_of
from crewmem.errors.registry import WorkspaceMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.journal.entry import Entry

PAUSE = 0.25
"""Seconds between two looks; one that finds nothing costs a tenth of a millisecond."""


def follow_journal(app: App, chosen: dict[str, Any], most: int) -> None:
    """Print entries that fit, oldest first, until somebody interrupts it.

    From now on, or from ``--since``; *most* are fetched at a time. What is added is
    shown also where it was archived before anybody looked.

    Raises:
        JournalReplacedError: If a backup was put in the place of the database, in
            which nobody adds anything any more.
    """
    from crewmem.db.connect import filename
    from crewmem.errors.journal import JournalReplacedError
    from crewmem.journal.chain_store import last_seq
    from crewmem.journal.listing_store import newer

    if app.out.format == "json":
        raise click.UsageError(
            "--follow has no end, and --json no beginning: -F jsonl."
        )
    journal = app.journal_to_read
    if journal is None:
        raise WorkspaceMissingError(app.workspace)
    wanted = filter_of(app, journal.db, chosen)
    begun = last_seq(journal.db)
    seq = 0 if wanted.since else begun
    archived_after = 0 if wanted.with_archive else begun
    path = Path(filename(journal.db))
    file = _identity(path)
    while True:
        end = last_seq(journal.db)
        if seq > end or _identity(path) != file:
            raise JournalReplacedError(path)
        if seq == end:
            _wait(app)
            continue
        entries = newer(
            journal.db, wanted, seq=seq, limit=most, archived_after=archived_after
        )
        last = entries[-1].seq if entries else end
        seq = last if len(entries) == most else max(last, end)
        if entries:
            _print(app, entries)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells the file at *path* from every other; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _wait(app: App) -> None:
    """Wait until it is time to look again, or nobody reads what is printed any more.

    Raises:
        BrokenPipeError: If nobody does. A pipe says so to who writes, or asks.
    """
    poll = select.poll()
    poll.register(app.world.stdout.fileno(), 0)  # of nothing but its end
    if poll.poll(1_000 * PAUSE):
        raise BrokenPipeError


def _print(app: App, entries: Sequence[Entry]) -> None:
    from crewmem.cli.journal.shown import followed_line

    app.out.listing_lines(entries, map(followed_line, entries))
    app.world.stdout.flush()
