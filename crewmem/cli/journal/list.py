"""``crewmem journal list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.journal.filters import cursor_of, filter_of, filter_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from crewmem.journal.entry import Entry
    from crewmem.journal.store import Journal

USUAL, MOST = 50, 1_000
"""Entries that are listed, and that are at most."""


@verb
@filter_options
@option("-l", "--limit", type=int, metavar="N", help="Most entries, 1 to 1000.  [50]")
@option("--after", metavar="CURSOR", help="Go on where a listing ended.")
@option("-f", "--follow", is_flag=True, help="Show what comes, until interrupted.")
@pass_app
def list_command(
    app: App,
    *,
    limit: int | None,
    after: str | None,
    follow: bool,
    chosen: dict[str, Any],
) -> None:
    """List entries of the journal, newest first.

    A type may be a glob, as memory.*. With --query every word has to be there, in the
    summary or in a value of the payload (in the first 65,536 characters of it); quotes
    and upper-case AND, OR, NOT and NEAR are understood. Where a listing is cut, the
    cursor to go on with is printed.

    With --follow entries are shown as they are added, oldest first: from now on, or
    from --since. For a program that is -F jsonl.
    """
    if follow:
        from crewmem.cli.journal.following import follow_journal

        if after is not None:
            raise click.UsageError("--follow goes on by itself: leave --after out.")
        follow_journal(app, chosen, app.clamped("--limit", limit, USUAL, MOST))
        return
    most = app.clamped("--limit", limit, USUAL, MOST)
    cursor = cursor_of(after)
    journal = app.journal_to_read
    if journal is None:
        _show(app, None, [], None)
        return
    from crewmem.journal.listing_store import page

    found = page(
        journal.db, filter_of(app, journal.db, chosen), limit=most, after=cursor
    )
    _show(app, journal, found.entries, str(found.next) if found.next else None)


def _show(
    app: App, journal: Journal | None, entries: Sequence[Entry], cursor: str | None
) -> None:
    from crewmem.cli.journal.shown import entries_table

    names = {}
    if journal and not app.out.is_json:
        from crewmem.ids import shortest
        from crewmem.journal.listing_store import beside

        ids = [entry.id for entry in entries]
        names = shortest(ids, among=beside(journal.db, app.workspace, ids))
    app.out.listing(entries, entries_table(entries, names), cursor=cursor)
    if not entries:
        app.out.note("Nothing in the journal fits.")
    if cursor:
        app.out.note(f"There is more: --after {cursor}")
