"""``crewmem memory read``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import TIERS, Chosen, beginnings, located, place_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.files.read import Document, Name


ANYWHERE = "other"
"""The tier of files that may lie in any directory."""


@verb
@argument(
    "file", required=False, metavar="[FILE]", help="As a search prints it, or a path."
)
@option("--tier", type=click.Choice(TIERS), help="The file of this tier.")
@option("--key", metavar="NAME", help="Which of the tier: a day, a topic, a name.")
@option("--raw", is_flag=True, help="Print the file as it is, whatever is in it.")
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
    by what it is, as memory write does: an agent's is its own, its crew's with -S crew;
    of days it is today's without a --key. On a terminal, control characters are made
    visible.

    Where hidden instructions are found, a line that says so stands for the text, and
    secrets are left out of it. With --raw all is printed as it is.
    """
    from crewmem.errors.files import KeyMissingError
    from crewmem.files.read import Name, parsed

    if file == "" or (file is None) == (tier is None):
        raise click.UsageError("Name a FILE, or a --tier with its --key.")
    try:
        name = parsed(file or _file_of(app, tier or "", key))
    except KeyMissingError as error:
        raise click.UsageError(f"{error}. {error.hint}") from error
    if name.first is not None and not 0 < name.first <= (name.last or 0):
        raise click.UsageError("Lines are FIRST-LAST, counted from 1, as in :3-7.")
    opened = _opener(app, chosen, tier)
    document, content = opened(name)
    if not raw:
        is_part = name.first is not None
        whole = opened(Name(name.file))[0].text if is_part else document.text
        shown = _shielded(app, document, whole)
        if shown.withheld:
            document, content = shown, shown.text.encode()
    if app.out.is_json:
        app.out.record(document, [])
    else:
        app.out.document(content, raw=raw)


def _file_of(app: App, tier: str, key: str | None) -> str:
    """Return the file of *tier* that *key* chooses, of days today's."""
    from crewmem.files.target import DAYS
    from crewmem.files.tiers import file_of

    if key is None and tier in DAYS:
        from crewmem import times

        key = times.day(app.now, app.zone).isoformat()
    return file_of(tier, key)


def _opener(
    app: App, chosen: Chosen, tier: str | None
) -> Callable[[Name], tuple[Document, bytes]]:
    """Return what opens a file of the directories that were *chosen*.

    What is named by its *tier* is where it would be written.
    """
    from crewmem.files.read import read

    found, sight = located(app, chosen)
    if tier and tier != ANYWHERE and not chosen.scope:
        from crewmem.cli.writing_place import scope_of

        scope = scope_of(app, chosen, tier)
        found = [place for place in found if place.scope == scope]
    cwd, base = beginnings(app, chosen)
    return lambda name: read(
        found,
        name,
        sight,
        limit=app.settings.max_file_bytes,
        cwd=cwd,
        base=base,
    )


def _shielded(app: App, document: Document, whole: str) -> Document:
    """Return *document* without what no reader should meet; say so if there is any."""
    from crewmem.cli.scanner import scanner
    from crewmem.files.shield import shielded

    shown = shielded(document, whole, scanner(app))
    if shown.withheld:
        rules = ", ".join(shown.withheld)
        app.out.warn(f"{shown.ref} is not shown as it is ({rules}); --raw shows it")
    return shown
