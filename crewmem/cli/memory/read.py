"""``crewmem memory read``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import TIERS, Chosen, located, place_options, root


@verb
@argument(
    "file", required=False, metavar="[FILE]", help="As a search prints it, or a path."
)
@option("--tier", type=click.Choice(TIERS), help="The file of this tier.")
@option("--key", metavar="NAME", help="Which of the tier: a day, a topic, a name.")
@option("--raw", is_flag=True, help="Print the bytes as they are, also on a terminal.")
@place_options
@pass_app
def read_command(
    app: App,
    *,
    file: str | None,
    tier: str | None,
    key: str | None,
    raw: bool,
    chosen: Chosen,
) -> None:
    """Print a memory file.

    FILE is what a search prints: a path, a reference such as
    agent:harbor/mira/AGENT.md, or the file's place below its directory; with lines
    behind it, as in AGENT.md:3-7, only these are printed. --tier and --key name it
    by what it is. On a terminal, control characters are made visible.
    """
    from pathlib import Path

    from crewmem.errors import KeyMissingError
    from crewmem.files.read import parsed, read
    from crewmem.files.tiers import file_of

    if file == "" or (file is None) == (tier is None):
        raise click.UsageError("Name a FILE, or a --tier with its --key.")
    try:
        name = parsed(file) if file else parsed(file_of(tier or "", key))
    except KeyMissingError as error:
        raise click.UsageError(f"{error}. {error.hint}") from error
    if name.first is not None and not 0 < name.first <= (name.last or 0):
        raise click.UsageError("Lines are FIRST-LAST, counted from 1, as in :3-7.")
    found, sight = located(app, chosen)
    document, content = read(
        found,
        name,
        sight,
        limit=app.settings.max_file_bytes,
        cwd=Path.cwd(),
        base=root(app, chosen).absolute(),
    )
    if app.out.is_json:
        app.out.record(document, [])
    else:
        app.out.document(content, raw=raw)
