"""``crewmem vote``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument, reason_option


@verb
@id_argument
@option("--up", is_flag=True, help="It holds.")
@option("--down", is_flag=True, help="It does not.")
@reason_option
@pass_app
def vote_command(
    app: App, *, id: str, up: bool, down: bool, reason: str | None
) -> None:
    """Say of a memory that it holds, or that it does not.

    Every actor has one vote, and the last one counts: up adds 0.15 to the confidence
    that it was written with, down takes 0.20. A memory that three are against, and
    that nobody trusts any more, is archived for a person to look at.
    """
    from crewmem.cli.voting import voted

    if up == down:
        raise click.UsageError("Say --up or --down.")
    voted(app, id, is_up=up, reason=reason)
