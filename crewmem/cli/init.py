"""The command `crewmem init`."""

from dataclasses import dataclass
from pathlib import Path

import click

from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.context import DATABASE_FILE
from crewmem.home import create_home
from crewmem.hosts.joining import join_store
from crewmem.text.wording import count
from crewmem.transfer.sample import index_sample_sessions, install_sample


@dataclass(frozen=True, slots=True)
class NewHome:
    """A new home.

    Attributes:
        sample: Numbers of files, entries and facts of the sample crew; None without it.
    """

    home: Path
    created: bool
    sample: dict[str, int] | None
    next: str


@click.command(cls=Command, answer=NewHome)
@click.option("--sample", is_flag=True, help="Add the sample crew.")
@click.option(
    "--store",
    "is_shared",
    is_flag=True,
    help="Join the shared store that the setting `store` names.",
)
@pass_app
def init(app: App, sample: bool, is_shared: bool) -> None:
    """Create a home.

    With --sample the home gets a crew of three agents with five weeks of memory, on which you
    can try every command.
    """
    exists = (app.home_path / DATABASE_FILE).exists()
    if not exists or not (sample or is_shared):
        create_home(app.home_path, clock=app.clock)
    counts = None
    if sample:
        counts = install_sample(app.home)
        index_sample_sessions(app.home)
    lines = [f"Created a home at {app.home_path}." if not exists else f"Home: {app.home_path}"]
    if is_shared:
        joined = join_store(app.home.context)
        entries = joined.rows.get("journal_entries", 0)
        lines.append(
            f"This home is a mirror of {joined.store_id}:"
            f" {count(joined.rows.get('facts', 0), 'fact')},"
            f" {count(entries, 'journal entry', 'journal entries')}."
        )
        lines += joined.lines
    if counts is not None:
        lines.append(
            f"Added the sample crew: {count(counts['files'], 'file')},"
            f" {count(counts['entries'], 'entry', 'entries')}, {count(counts['facts'], 'fact')},"
            f" {count(counts['sessions'], 'session')}."
        )
        following = app.command("search", "where is the deploy key")
    elif is_shared:
        following = app.command("status")
    elif app.settings["store"]:
        following = app.command("init --store")
    else:
        following = app.command("agent add", "NAME")
    record = NewHome(app.home_path, not exists, counts, following)
    app.show(record, [*lines, *app.next_step(following)])
