"""``crewmem events``: another name for ``crewmem journal list --follow``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.journal.filters import filter_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USUAL, MOST = 100, 1_000
"""Entries that are fetched at a time, and that are at most."""


@verb
@filter_options
@option("-l", "--limit", type=int, metavar="N", help="Entries at a time.  [100]")
@pass_app
def events_command(app: App, *, limit: int | None, chosen: dict[str, Any]) -> None:
    """Show entries of the journal as they come, as journal list --follow.

    Oldest first, from now on, or from --since.
    """
    from crewmem.cli.journal.following import follow_journal

    follow_journal(app, chosen, app.clamped("--limit", limit, USUAL, MOST))
