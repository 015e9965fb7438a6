"""``crewmem memories pin``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument, reason_option

PINS = ("none", "pin", "high", "permanent")
"""As in memories/memory.py, which is imported only when it is used; a test compares."""


@verb
@id_argument
@option("--priority", type=click.Choice(PINS), default="pin", help="Which.  [pin]")
@reason_option
@pass_app
def pin_command(app: App, *, id: str, priority: str, reason: str | None) -> None:
    """Keep a memory from aging, and lay it first when a session starts.

    What is pinned does not age or become stale, is not condensed, and stands among the
    first lines of a session; --priority none takes the pin away. For operators, and for
    the lead in its crew.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.cli.reasons import reason_of
    from crewmem.memories.change import pin

    why, memory = reason_of(app, reason), named(app, id)
    done = pin(desk(app, restricted=True), memory, priority, why)
    said = "is not pinned" if priority == "none" else f"is pinned ({priority})"
    tell(app, done, said)
