"""``crewmem memory reindex``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, access, each_of, place_options, places


@verb
@option("--full", is_flag=True, help="Build the index anew from every file.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def reindex_command(app: App, *, full: bool, strict: bool, chosen: Chosen) -> None:
    """Bring the index of memory directories up to date.

    Only files that changed are read; when none did, nothing is written. A search
    does this by itself below the home; a directory named by --path is written by
    this command alone. It is safe beside readers and writers, and interrupted it
    leaves the index as it was.
    """
    from crewmem.cli.shown import reindexed_lines
    from crewmem.files.reindex import reindex

    found, _ = places(app, chosen)
    how = access(app)
    done = each_of(app, found, lambda place: reindex(place, how, full=full))
    for each in done:
        for skip in each.skipped:
            app.out.warn(f"{each.path / skip.file}: {skip.reason}")
        if each.rebuilt and not full:
            app.out.warn(f"the index in {each.path} was built anew: {each.rebuilt}")
    app.out.listing_lines(done, reindexed_lines(done))
    app.strictly(strict=strict)
