"""``crewmem memory scan``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import (
    TIERS,
    Chosen,
    beginnings,
    each_of,
    located,
    place_options,
    places,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.output import Line
    from crewmem.files.scan import Flagged, Scanned

STYLES = {"high": "bad", "medium": "warn"}

STDIN = "-"
"""The FILE that stands for standard input: a text that was not written yet."""


@verb
@argument(
    "file",
    nargs=-1,
    metavar="[FILE]...",
    help="As a search prints it, or a path; - reads a text.",
)
@option(
    "--tier", type=click.Choice(TIERS), multiple=True, help="Only files of this tier."
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def scan_command(
    app: App,
    *,
    file: tuple[str, ...],
    tier: tuple[str, ...],
    strict: bool,
    chosen: Chosen,
) -> None:
    """Look for hidden instructions and secrets in memory files.

    Every file that the actor may read is scanned, or each FILE, which is what a
    search prints, or a text by itself. What is found is told by line, category and
    rule, and never by what it says, for it may be a secret. High is what writing
    refuses and what is kept out of prompts; medium is worth a look. Nothing is
    changed. The settings threats.allow and threats.rules let names of rules or what
    is found pass, and add rules.

    Ends with 1 when anything is found.
    """
    from crewmem.health.advice import counted

    scanned = _named(app, file, tier, chosen) if file else _all(app, tier, chosen)
    for trouble in scanned.troubles:
        app.out.warn(trouble)
    lines: list[Line] = [
        [
            ("path", f"{each.path}:{each.first_line}"),
            f": {each.category} {each.rule} (",
            (STYLES[each.severity], each.severity),
            ")",
        ]
        for each in scanned.flagged
    ]
    app.out.listing_lines(scanned.flagged, lines)
    if not scanned.flagged:
        files = counted(scanned.files, "file", "files")
        app.out.note(f"Nothing found in {files}.")
    app.strictly(strict=strict)
    app.conclude(ok=not scanned.flagged)


def _all(app: App, tiers: tuple[str, ...], chosen: Chosen) -> Scanned:
    from crewmem.cli.scanner import scanner
    from crewmem.files.scan import Scanned, once, scan

    found, sight = places(app, chosen)
    limit, find = app.settings.max_file_bytes, once(scanner(app))
    done = each_of(
        app,
        found,
        lambda place: scan(
            place, find, limit=limit, tiers=tiers, hidden=place.hidden_tiers(sight)
        ),
    )
    return Scanned(
        [each for scanned in done for each in scanned.flagged],
        sum(scanned.files for scanned in done),
        [trouble for scanned in done for trouble in scanned.troubles],
    )


def _typed(app: App) -> Scanned:
    from crewmem.cli.scanner import scanner
    from crewmem.cli.typed import read_text
    from crewmem.files.scan import Scanned, scan_text

    return Scanned(scan_text(read_text(app), scanner(app)), 1, [])


def _named(
    app: App, files: tuple[str, ...], tiers: tuple[str, ...], chosen: Chosen
) -> Scanned:
    from crewmem.cli.scanner import scanner
    from crewmem.files.read import parsed, read
    from crewmem.files.scan import Scanned, scan_document

    if "" in files:
        raise click.UsageError("FILE is empty.")
    if files == (STDIN,):
        return _typed(app)
    found, sight = located(app, chosen)
    (cwd, base), find = beginnings(app, chosen), scanner(app)
    flagged: list[Flagged] = []
    count = 0
    for file in files:
        document, _ = read(
            found,
            parsed(file),
            sight,
            limit=app.settings.max_file_bytes,
            cwd=cwd,
            base=base,
        )
        if not tiers or document.tier in tiers:
            flagged += scan_document(document, find)
            count += 1
    return Scanned(flagged, count, [])
