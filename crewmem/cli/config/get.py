"""``crewmem config get``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb


@verb
@argument("key", metavar="KEY", help="The setting, as config list names it.")
@pass_app
def get_command(app: App, *, key: str) -> None:
    """Print the value of a setting.

    It is the value in force, wherever it comes from; as JSON that is told as well.
    """
    from crewmem.cli.config.shown import shown
    from crewmem.settings import find
    from crewmem.settings.kinds import spelled

    found = shown(app, find(key, "config get"))
    app.out.record(found, [spelled(found.value)])
