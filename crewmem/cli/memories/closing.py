"""What the verbs that close an action item have in common."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


def closed(app: App, name: str, state: str) -> None:
    """Give the action item that *name* names its *state*, and tell it."""
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.memories.change import close

    memory = named(app, name)
    done = close(desk(app, restricted=True), memory, state)
    said = f"is {state}" if done.changed else f"was {state} already"
    tell(app, done, said)
