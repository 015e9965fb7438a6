"""``crewmem memory log``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import file_argument

USUAL, MOST = 20, 1_000
"""Versions that are listed, and that are at most."""


@verb
@file_argument
@option("-l", "--limit", type=int, metavar="N", help="Most versions, 1 to 1000.  [20]")
@option("--after", metavar="VERSION", help="Go on behind this one.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def log_command(
    app: App,
    *,
    file: str,
    limit: int | None,
    after: str | None,
    strict: bool,
    chosen: Chosen,
) -> None:
    """List the versions of a memory file, newest first.

    There is one for every write through crewmem, and one for every change by other
    means that a sweep or a reindex met: those are of unknown, and are called outside,
    or removed where the file was gone. FILE may be one that is no longer there. A
    warning says when the file is not as its newest version has it.

    In a tree that is in no home there is no history, and it ends with 4; where nothing
    is recorded yet the list is empty.
    """
    from crewmem.cli.memory.versions import subject, unrecorded, versions_table

    most = app.clamped("--limit", limit, USUAL, MOST)
    it = subject(app, chosen, file)
    before = it.version(after).seq if after else None
    found = []
    if it.store:
        found = it.store.versions(it.ref, limit=most + 1, before=before)
    shown = found[:most]
    if warning := unrecorded(app, it):
        app.out.warn(warning)
    cursor = shown[-1].id if len(found) > most else None
    app.out.listing(shown, versions_table(app, shown), cursor=cursor)
    if cursor:
        app.out.note(f"There is more: --after {cursor}")
    app.strictly(strict=strict)
