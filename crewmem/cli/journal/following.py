"""Showing entries of the journal as they are added."""

from __future__ import annotations

import time

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

    From now on, or from ``--since``; *most* are fetched at a time.
    """
    from crewmem.journal.listing_store import newer, newest_seq

    if app.out.format == "json":
        raise click.UsageError(
            "--follow has no end, and --json no beginning: -F jsonl."
        )
    journal = app.journal_to_read
    if journal is None:
        raise WorkspaceMissingError(app.workspace)
    wanted = filter_of(app, journal.db, chosen)
    seq = 0 if wanted.since else newest_seq(journal.db)
    while True:
        entries = newer(journal.db, wanted, seq=seq, limit=most)
        if entries:
            seq = entries[-1].seq
            _print(app, entries)
        else:
            time.sleep(PAUSE)


def _print(app: App, entries: Sequence[Entry]) -> None:
    from crewmem.cli.journal.shown import followed_line

    app.out.listing_lines(entries, map(followed_line, entries))
    app.world.stdout.flush()
