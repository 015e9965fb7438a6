"""``crewmem memory quarantine list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.memory.quarantine.shown import SHORT, asked
from crewmem.cli.output import Table
from crewmem.cli.places import Chosen, each_of, place_options


@verb
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def list_command(app: App, *, strict: bool, chosen: Chosen) -> None:
    """List texts that were refused, oldest first.

    They were not written, for they look like an attack or hold a secret. For operators.
    """
    from crewmem import times
    from crewmem.files.quarantine import listed

    places = asked(app, chosen, "look into the quarantine")
    done = each_of(app, places, listed)
    for _, troubles in done:
        for trouble in troubles:
            app.out.warn(trouble)
    found = sorted(
        (each for some, _ in done for each in some),
        key=lambda each: (each.rejected_at, each.id),
    )
    rows = [
        (
            each.id[:SHORT],
            each.ref,
            times.ago(each.rejected_at, app.now),
            each.by,
            ", ".join(each.rules),
        )
        for each in found
    ]
    app.out.listing(found, Table(("ID", "FILE", "REFUSED", "BY", "RULES"), rows))
    app.strictly(strict=strict)
