"""``crewmem proposals list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text

STATUSES = ("open", "approved", "rejected", "all")

USUAL, MOST = 50, 500
"""Proposals that are listed, and that are at most."""

SEQ_MOST = (1 << 63) - 1
"""The last place that a database has."""


def _as_cursor(
    ctx: click.Context, param: click.Parameter, place: int | None
) -> int | None:
    """Return *place* if a listing may have ended there."""
    if place is not None and not 0 <= place <= SEQ_MOST:
        raise click.BadParameter(f"{place} is where no listing ends.", ctx, param)
    return place


@verb
@option("--status", type=click.Choice(STATUSES), default="open", help="Which.  [open]")
@option("--kind", metavar="KIND", callback=as_text, help="Only of this kind, as share.")
@option("-l", "--limit", type=int, metavar="N", help="Most of them, 1 to 500.  [50]")
@option(
    "--after",
    type=int,
    metavar="CURSOR",
    callback=_as_cursor,
    help="Go on where a listing ended.",
)
@pass_app
def list_command(
    app: App, *, status: str, kind: str | None, limit: int | None, after: int | None
) -> None:
    """List what waits for a person, newest first.

    Operators see all, a lead what its crew is to hold, and everybody what it has
    proposed itself.
    """
    from crewmem.cli.held import memories_to_read, view
    from crewmem.cli.proposals.shown import proposals_table
    from crewmem.proposals.proposal import is_visible
    from crewmem.proposals.store import Proposals

    most = app.clamped("--limit", limit, USUAL, MOST)
    memories = memories_to_read(app)
    told, seen = view(app), []
    if memories:
        found = Proposals(memories.db).of(
            app.workspace,
            status=None if status == "all" else status,
            kind=kind,
            after=after,
        )
        seen = [each for each in found if is_visible(each, told, app.actor)]
    shown = seen[:most]
    cursor = str(shown[-1].seq) if len(seen) > most else None
    app.out.listing(shown, proposals_table(shown), cursor=cursor)
    if not shown:
        app.out.note("Nothing waits." if status == "open" else "No proposals.")
    if cursor:
        app.out.note(f"There is more: --after {cursor}")
