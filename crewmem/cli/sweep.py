"""The command `crewmem sweep`."""

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.jobs.sweep import SweepReport
from crewmem.text.wording import count, describe_counts

DEFAULT_LIMIT = 64
"""Texts that a sweep embeds in each store; the timer soon starts the next sweep."""


@click.command(cls=Command, answer=SweepReport)
@options.limit(
    DEFAULT_LIMIT, maximum=1_000_000, help="Maximum number of texts to embed in each store."
)
@click.option("--all", "is_all", is_flag=True, help="Embed all texts without a vector.")
@click.option("--entry", metavar="ID", help="Select this journal entry as an episode first.")
@pass_app
def sweep(app: App, limit: int, is_all: bool, entry: str | None) -> None:
    """Embed new texts, refresh indexes, and record outside changes.

    Timers run it every 30 seconds. If another sweep is running, it ends at once with status 0.
    """
    options.exclude(("--all", is_all), ("--limit", options.is_given("limit")))
    home = app.home
    if entry is not None:
        home.journal.select_episode(entry)
    with app.progress("Embedding") as progress:
        report = home.sweep(limit=None if is_all else limit, progress=progress)
    if report.result == "skipped-locked":
        lines = ["Another sweep is running."]
    else:
        parts = describe_counts(report.counts)
        waiting = sum(store.waiting for store in report.embedded)
        if waiting:
            parts.append(count(waiting, "text waits", "texts wait") + " for the next sweep")
        lines = [", ".join(parts) + "." if parts else "Nothing was new."]
    app.show(report, lines)
