"""``crewmem memory quarantine drop``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.memory.quarantine.shown import named, told
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import as_text


@verb
@argument("name", metavar="ID", callback=as_text, help="As the list shows it.")
@option("--yes", is_flag=True, help="Do not ask.")
@place_options
@pass_app
def drop_command(app: App, *, name: str, yes: bool, chosen: Chosen) -> None:
    """Remove a text that was refused, for good.

    It was never written, so no version of it remains. For operators.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.files.quarantine import drop, get

    place, found = named(app, chosen, name, "remove what was refused")
    refused, _ = get(place, found)
    if confirmed(app, f"Removing {told(refused)}", yes=yes):
        drop(place, found)
        app.out.record(refused, [f"Removed {told(refused)}."])
    else:
        app.out.record(refused, ["Nothing was removed."])
        app.conclude(ok=False)
