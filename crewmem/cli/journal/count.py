"""``crewmem journal count``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.journal.filters import filter_of, filter_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@verb
@option(
    "--by",
    type=click.Choice(["type", "day", "agent"]),
    default="type",
    help="What to count by.  [type]",
)
@filter_options
@pass_app
def count_command(app: App, *, by: str, chosen: dict[str, Any]) -> None:
    """Count entries of the journal by type, day or agent.

    The most frequent are first; days are in their order, of the setting timezone.
    """
    from crewmem.cli.output import Table
    from crewmem.journal.count import count

    journal = app.journal_to_read
    found = (
        count(journal.db, filter_of(app, journal.db, chosen), by, zone=app.zone)
        if journal
        else []
    )
    rows = [(each.key or "-", f"{each.entries:,}") for each in found]
    if found:
        rows.append(("total", f"{sum(each.entries for each in found):,}"))
    app.out.listing(found, Table((by.upper(), "ENTRIES"), rows, frozenset({"ENTRIES"})))
    if not found:
        app.out.note("Nothing in the journal fits.")
