"""``crewmem memory list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import TIERS, Chosen, each_of, place_options, places


@verb
@option(
    "--tier", type=click.Choice(TIERS), multiple=True, help="Only files of this tier."
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def list_command(
    app: App, *, tier: tuple[str, ...], strict: bool, chosen: Chosen
) -> None:
    """List memory files with their size, age and share of the cap.

    Flags say what is wrong with a file: over-cap, near-cap (from 80 %), bad-name
    (a daily note whose name is no real date), future, odd (a link, a FIFO).
    """
    from crewmem import times
    from crewmem.cli.memory.shown import contents_table
    from crewmem.files.contents import contents

    found, sight = places(app, chosen)
    caps, today = app.settings.caps, times.day(app.now, app.zone)
    listed = each_of(
        app,
        found,
        lambda place: contents(
            place, caps=caps, today=today, hidden=place.hidden_tiers(sight)
        ),
    )
    for place in found:
        app.out.detail(f"looked at {place.path.absolute()}")
    for _, troubles in listed:
        for trouble in troubles:
            app.out.warn(trouble)
    entries = [
        entry for some, _ in listed for entry in some if not tier or entry.tier in tier
    ]
    app.out.listing(entries, contents_table(entries, app.now))
    app.strictly(strict=strict)
