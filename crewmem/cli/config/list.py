"""``crewmem config list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb


@verb
@option("--show-origin", is_flag=True, help="Say where each value came from.")
@pass_app
def list_command(app: App, *, show_origin: bool) -> None:
    """List every setting with its value.

    Of several places that set it the first of these wins: an option, a variable,
    the configuration file, what was tuned, the default. --show-origin names the place
    and the line; as JSON it is always named.
    """
    from crewmem.cli.config.shown import shown
    from crewmem.cli.output import Table
    from crewmem.settings import SETTINGS
    from crewmem.settings.kinds import spelled

    every = [shown(app, each) for each in SETTINGS.values()]
    rows = [
        [
            each.key,
            spelled(each.value),
            *([each.origin] if show_origin else []),
            each.about,
        ]
        for each in every
    ]
    origin = ["ORIGIN"] if show_origin else []
    app.out.listing(every, Table(["SETTING", "VALUE", *origin, "ABOUT"], rows))
