"""``crewmem knowledge contradict``: another name for ``crewmem vote --down``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text, id_argument


@verb
@id_argument
@option("--reason", metavar="TEXT", callback=as_text, help="Why; it is kept.")
@pass_app
def contradict_command(app: App, *, id: str, reason: str | None) -> None:
    """Say of a memory that it does not hold, as vote --down."""
    from crewmem.cli.voting import voted

    voted(app, id, is_up=False, reason=reason)
