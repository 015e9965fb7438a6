"""``crewmem memory quarantine release``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.memory.quarantine.shown import named
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import as_text
from crewmem.cli.writing import means, tell


@verb
@argument("name", metavar="ID", callback=as_text, help="As the list shows it.")
@option("--dry-run", is_flag=True, help="Say what would be, and write nothing.")
@place_options
@pass_app
def release_command(app: App, *, name: str, dry_run: bool, chosen: Chosen) -> None:
    """Write a text that was refused, its rules allowed.

    What was to be added is added to what the file says now; what was to be a whole
    file is written only if the file has not changed since. Who released it, and which
    rules, is recorded. For operators.
    """
    from crewmem.files.release import release

    place, found = named(app, chosen, name, "release what was refused")
    written = release(place, found, means(app, place, dry_run=dry_run), dry_run=dry_run)
    tell(app, written)
