"""``crewmem memory append-daily``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import as_words
from crewmem.cli.writing import (
    means,
    tell,
    text_of,
    writing_options,
)
from crewmem.cli.writing_place import place_to_write


@verb
@argument(
    "text", nargs=-1, metavar="[TEXT]...", callback=as_words, help="What; - reads it."
)
@writing_options
@place_options
@pass_app
def append_daily_command(
    app: App,
    *,
    text: tuple[str, ...],
    allow: tuple[str, ...],
    max_input: int | None,
    dry_run: bool,
    strict: bool,
    chosen: Chosen,
) -> None:
    """Add a line to today's notes.

    It is stamped with the time, and today is the day of the setting timezone. All
    lines of a text are one item. A crew's notes, -S crew, are its lead's.
    """
    from crewmem import times
    from crewmem.files.change import noted
    from crewmem.files.target import target
    from crewmem.files.write import write

    place, sight = place_to_write(app, chosen, "daily", make=not dry_run)
    said = text_of(app, text, max_input)
    if not said.strip():
        raise click.UsageError("There is nothing to add: the text is empty.")
    written = write(
        target(place, "daily", today=times.day(app.now, app.zone)),
        noted(said, f"{times.local(app.now, app.zone):%H:%M}"),
        means(app, place, allow=allow, sight=sight, dry_run=dry_run),
        operation="append",
        dry_run=dry_run,
    )
    tell(app, written)
    app.strictly(strict=strict)
