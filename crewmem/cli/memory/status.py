"""``crewmem memory status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, each_of, place_options, places, root


@verb
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def status_command(app: App, *, strict: bool, chosen: Chosen) -> None:
    """Show what of each memory directory is indexed.

    It says where memory was looked for, and for each directory how much is there,
    its share of the cap, how the index stands, what is skipped and why, how many
    chunks have a vector, and how a search finds: by words, or by vectors as well.
    Nothing is written.
    """
    from crewmem.cli.embedding.health import embeds
    from crewmem.cli.memory.shown import standing_table
    from crewmem.files.status import standing

    found, sight = places(app, chosen)
    settings, can_embed = app.settings, embeds(app)
    shown = each_of(
        app,
        found,
        lambda place: standing(
            place,
            cap=settings.directory_bytes,
            hidden=place.hidden_tiers(sight),
            busy_timeout=settings.busy_timeout,
            embeds=can_embed,
        ),
    )
    app.out.note(f"Memory in {root(app, chosen).absolute()}")
    for each in shown:
        app.out.detail(f"looked at {each.path.absolute()}: {each.state}")
        for skip in each.skipped:
            app.out.warn(f"{each.path / skip.file}: {skip.reason}")
        if each.trouble:
            app.out.warn(f"the index in {each.path} cannot be used: {each.trouble}")
    app.out.listing(shown, standing_table(shown, app.now))
    app.strictly(strict=strict)
