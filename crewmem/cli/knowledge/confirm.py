"""``crewmem knowledge confirm``: another name for ``crewmem vote --up``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument, reason_option


@verb
@id_argument
@reason_option
@pass_app
def confirm_command(app: App, *, id: str, reason: str | None) -> None:
    """Say of a memory that it holds, as vote --up.

    What was stale is active again.
    """
    from crewmem.cli.voting import voted

    voted(app, id, is_up=True, reason=reason)
