"""``crewmem feedback``: `vote` in the words of another tool."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument, reason_option


@verb
@id_argument
@option("--positive", is_flag=True, help="It holds.")
@option("--negative", is_flag=True, help="It does not.")
@reason_option
@pass_app
def feedback_command(
    app: App, *, id: str, positive: bool, negative: bool, reason: str | None
) -> None:
    """Say of a memory that it holds, or that it does not, as vote."""
    from crewmem.cli.voting import voted

    if positive == negative:
        raise click.UsageError("Say --positive or --negative.")
    voted(app, id, is_up=positive, reason=reason)
