"""``crewmem episodes add``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.typed import as_words


@verb
@argument(
    "ids",
    nargs=-1,
    required=True,
    metavar="ID...",
    callback=as_words,
    help="Entries, by id or a prefix of it.",
)
@pass_app
def add_command(app: App, *, ids: tuple[str, ...]) -> None:
    """Make entries worth recalling that were not selected by themselves.

    The entry stays as it was written. It is embedded at once where the model runs in
    process, else by the next sweep.
    """
    from crewmem.cli.embedding.now import embed_now
    from crewmem.cli.remembered import stores
    from crewmem.episodes.add import add
    from crewmem.errors.journal import EntryMissingError

    reach = app.reach(None if app.actor.is_operator else "crew")
    if (journal := app.journal_to_read) is None:
        raise EntryMissingError(ids[0], app.workspace)
    entries = [journal.find(each, reach) for each in ids]
    opened = stores(app)
    added = add(opened, entries, app.now)
    embed_now(app, opened, [each.seq for each in entries])
    app.out.listing_lines(
        added,
        (
            [
                ("bold", each.entry_id),
                " is an episode" + ("." if each.is_new else " already."),
            ]
            for each in added
        ),
    )
