"""``crewmem episodes list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.episodes.whose import Whose, whose_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.output import Table
    from crewmem.episodes.listing import Page

USUAL, MOST = 50, 1_000
"""Episodes that are listed, and that are at most."""


@verb
@option("--vectors", is_flag=True, help="With the vectors; for --json and -F jsonl.")
@option("-l", "--limit", type=int, metavar="N", help="Most episodes, 1 to 1000.  [50]")
@option("--after", metavar="CURSOR", help="Go on where a listing ended.")
@whose_options
@pass_app
def list_command(
    app: App, *, vectors: bool, limit: int | None, after: str | None, whose: Whose
) -> None:
    """List episodes with their weight, newest first.

    In JSON they have the shape of the published table journal_embeddings, and with
    --vectors the numbers themselves.
    """
    from crewmem.cli.remembered import stores_to_read
    from crewmem.episodes.listing import Page, listed
    from crewmem.episodes.spaces import models

    most = app.clamped("--limit", limit, USUAL, MOST)
    found = Page([], None)
    if opened := stores_to_read(app):
        stored = models(opened.vectors.spaces(), app.workspace)
        found = listed(
            opened,
            whose.owners(app, opened.episodes),
            workspace=app.workspace,
            model=stored[0] if stored else None,
            limit=most,
            after=_cursor(after),
            with_vectors=vectors and app.out.is_json,
        )
    cursor = None if found.next is None else str(found.next)
    app.out.listing(found.episodes, _table(app, found), cursor=cursor)
    if not found.episodes:
        app.out.note("There are no episodes.")
    if cursor:
        app.out.note(f"There is more: --after {cursor}")


def _cursor(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < len(str(1 << 62))):
        raise click.UsageError(f"--after: {text[:80]!r} is not what a listing gave.")
    return int(text)


def _table(app: App, page: Page) -> Table:
    from crewmem import times
    from crewmem.cli.journal.shown import cut
    from crewmem.cli.output import Table

    return Table(
        ("ID", "AGE", "IMPORTANCE", "REFERENCES", "MODEL", "SUMMARY"),
        [
            (
                each.entry_id,
                times.ago(each.indexed_at, app.now),
                f"{each.importance_score:.2f}",
                str(each.reference_count),
                each.model or "-",
                cut(each.summary),
            )
            for each in page.episodes
        ],
        right=frozenset({"IMPORTANCE", "REFERENCES"}),
    )
