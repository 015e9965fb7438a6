"""``crewmem knowledge corrections``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

USUAL, MOST = 50, 500
"""Corrections that are listed, and that are at most."""


@verb
@option("-l", "--limit", type=int, metavar="N", help="Most of them, 1 to 500.  [50]")
@option("--after", metavar="CURSOR", help="Go on where a listing ended.")
@pass_app
def corrections_command(app: App, *, limit: int | None, after: str | None) -> None:
    """List what several agents were corrected for."""
    from crewmem.cli.held import memories_to_read, view
    from crewmem.cli.journal.filters import cursor_of
    from crewmem.cli.memories.shown import memories_table
    from crewmem.memories.held import held
    from crewmem.memories.store import Filter

    most, cursor = app.clamped("--limit", limit, USUAL, MOST), cursor_of(after)
    memories = memories_to_read(app)
    wanted = Filter(view(app), app.now, kinds=("correction",), is_shared=True)
    page = memories.page(wanted, limit=most, after=cursor) if memories else None
    listed = held(memories.db, page.memories, app.now) if memories and page else []
    more = str(page.next) if page and page.next else None
    app.out.listing(listed, memories_table(listed, {}), cursor=more)
    if not listed:
        app.out.note("No corrections are shared.")
    if more:
        app.out.note(f"There is more: --after {more}")
