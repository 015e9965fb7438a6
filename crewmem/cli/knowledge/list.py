"""``crewmem knowledge list``: what of ``crewmem memories list`` is shared."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.memories.list import list_options, show_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USUAL, MOST = 50, 500
"""Memories that are listed, and that are at most."""


@verb
@list_options
@option("-l", "--limit", type=int, metavar="N", help="Most memories, 1 to 500.  [50]")
@pass_app
def list_command(app: App, *, limit: int | None, **chosen: Any) -> None:
    """List what is shared, as memories list.

    What agents hold for themselves is left out.
    """
    most = app.clamped("--limit", limit, USUAL, MOST)
    show_page(app, chosen, most, is_shared=True)
