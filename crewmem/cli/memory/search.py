"""``crewmem memory search``."""

from __future__ import annotations

import time

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.memory.searching import search_files
from crewmem.cli.places import TIERS, Chosen, place_options

MOST = 50
"""Hits that a search shows at most."""


@verb
@argument(
    "query",
    nargs=-1,
    required=True,
    metavar="QUERY...",
    help="What to find; - reads it.",
)
@option("-l", "--limit", type=int, metavar="N", help="Most hits, 1 to 50.  [10]")
@option(
    "--tier", type=click.Choice(TIERS), multiple=True, help="Only files of this tier."
)
@option("--since", metavar="TIME", help="Only files changed then or later.")
@option("--no-refresh", is_flag=True, help="Do not look at the files first.")
@option("--explain", is_flag=True, help="Say below each hit why it was found.")
@option("--exit-code", is_flag=True, help="End with 1 when nothing is found.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def search_command(
    app: App,
    *,
    query: tuple[str, ...],
    limit: int | None,
    tier: tuple[str, ...],
    since: str | None,
    no_refresh: bool,
    explain: bool,
    exit_code: bool,
    strict: bool,
    chosen: Chosen,
) -> None:
    """Find passages of memory files that answer a question.

    Any word of the question matches; what holds more of them, and rarer ones,
    comes first. Endings and accents do not matter; identifiers, paths, and clauses
    without spaces are found whole and by part. Quotes ask for words in a row, a star
    for beginnings (deploy*), and upper-case AND, OR, NOT and NEAR are understood;
    when that finds nothing the words are searched for, and it is said.

    Where sweeps have embedded the files, they are found by what they mean as well.

    The index is compared with the files first, so an answer is never stale. A
    directory named by --path is never written.

    What an agent or a lead searches in a home is kept for 30 days, with what was found.
    """
    from crewmem.cli.hits import hit_lines

    text = _typed(app, query)
    most = app.clamped("--limit", limit, app.settings.search_limit, MOST)
    began = time.perf_counter()
    answer, count = search_files(
        app,
        chosen,
        text,
        most,
        tiers=tier,
        since=app.instant("--since", since),
        refresh=not no_refresh,
    )
    for warning in answer.warnings:
        app.out.warn(warning)
    for detail in answer.details:
        app.out.detail(detail)
    lines = hit_lines(app.out, answer.hits, explain=explain)
    app.out.found(answer.mode, answer.hits, lines)
    if not answer.hits:
        from crewmem.health.advice import counted

        folders = counted(count, "memory directory", "memory directories")
        app.out.note(f"Nothing found in {folders}.")
    if "truth_to_read" in vars(app):  # to open it takes a twentieth of the whole search
        from crewmem.cli.searched import keep_search

        took = 1000 * (time.perf_counter() - began)
        keep_search(app, "memory search", text, answer.mode, answer.hits, most, took)
    app.strictly(strict=strict)
    app.conclude(ok=bool(answer.hits) or not exit_code)


def _typed(app: App, query: tuple[str, ...]) -> str:
    if query != ("-",):
        return " ".join(query)
    from crewmem.cli.typed import read_text

    return read_text(app)
