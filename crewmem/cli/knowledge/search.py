"""``crewmem knowledge search``: what of ``crewmem search`` is shared knowledge."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import words_argument

USUAL, MOST = 10, 100
"""Hits of a search, and at most."""


@verb
@words_argument("query", help="What to find; - reads it.")
@option("-l", "--limit", type=int, metavar="N", help="Most hits, 1 to 100.  [10]")
@option("--explain", is_flag=True, help="Say below each hit why it was found.")
@pass_app
def search_command(
    app: App, *, query: tuple[str, ...], limit: int | None, explain: bool
) -> None:
    """Find what is shared, as search.

    Memory files, the journal and what agents hold for themselves are left out.
    """
    from crewmem.cli.held import find_held
    from crewmem.cli.memories.shown import hit_lines
    from crewmem.cli.sieve import Sieve
    from crewmem.cli.typed import read_text

    text = read_text(app) if query == ("-",) else " ".join(query)
    most = app.clamped("--limit", limit, USUAL, MOST)
    found = find_held(app, text, limit=most, sieve=Sieve(is_shared=True))
    for warning in found.warnings if found else ():
        app.out.warn(warning)
    mode, hits = (found.mode, found.hits) if found else ("words", [])
    lines = [
        line
        for hit in hits
        for line in hit_lines(app.out, hit, app.now, explain=explain)
    ]
    app.out.found(mode, hits, lines)
    if not hits:
        app.out.note("Nothing found.")
