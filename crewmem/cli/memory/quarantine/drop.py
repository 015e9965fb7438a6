"""``crewmem memory quarantine drop``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.memory.quarantine.shown import named, told
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.place import Place
    from crewmem.files.quarantine import Refused


@verb
@argument("name", metavar="ID", callback=as_text, help="As the list shows it.")
@option("--yes", is_flag=True, help="Do not ask.")
@place_options
@pass_app
def drop_command(app: App, *, name: str, yes: bool, chosen: Chosen) -> None:
    """Remove a text that was refused, for good.

    It was never written, so no version of it remains. One that is damaged is removed
    as well. For operators.
    """
    from crewmem.cli.confirm import confirmed
    from crewmem.files.quarantine import drop

    place, found = named(app, chosen, name, "remove what was refused")
    refused = _known(place, found)
    if confirmed(app, f"Removing {told(refused)}", yes=yes):
        drop(place, found)
        app.out.record(refused, [f"Removed {told(refused)}."])
    else:
        app.out.record(refused, ["Nothing was removed."])
        app.conclude(ok=False)


def _known(place: Place, name: str) -> Refused:
    """Return what is known of it, little if it is damaged."""
    from crewmem.errors import DataError, RefusedError
    from crewmem.files.quarantine import damaged, get

    try:
        return get(place, name)[0]
    except (DataError, RefusedError):
        return damaged(place, name)
