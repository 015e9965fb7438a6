"""The command `crewmem sync`."""

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.errors import UsageError
from crewmem.hosts.joining import push_all_to_store
from crewmem.hosts.store import PostgresStore
from crewmem.text.wording import count
from crewmem.transfer.sync import ExchangeReport, Sync

NOUNS = {
    "registry": ("registry record",),
    "fact": ("fact",),
    "journal": ("journal record",),
    "version": ("version",),
    "content": ("stored text",),
    "journal_entries": ("journal entry", "journal entries"),
    "journal_entry_priorities": ("entry priority", "entry priorities"),
}
"""Singular nouns for types of records, and irregular plurals."""


@click.command(cls=Command, answer=ExchangeReport)
@click.argument("place", type=options.PATH, metavar="[DIR|ssh://HOST/DIR]", required=False)
@click.option(
    "--push-all", is_flag=True, help="Move the data of this home into a new shared store."
)
@pass_app
def sync(app: App, place: str | None, push_all: bool) -> None:
    """Exchange memory with other homes through a directory, a git repository or ssh.

    Without DIR it brings a home with a shared store up to date. --push-all moves the data of the
    home into the shared store that the setting `store` names; this is done once.
    """
    app.require_operator("sync")
    if push_all and place is not None:
        raise UsageError("--push-all takes no DIR: the setting store names the store", code="usage")
    if place is None:
        report, lines = _sync_store(app, push_all)
    else:
        report = Sync(app.home).run(place)
        lines = [
            f"Sent {_list_counts(report.sent)}; received {_list_counts(report.received)}.",
            *(f"Waits in review: {app.command('review show', item)}" for item in report.waiting),
        ]
    app.show(report, lines)


def _sync_store(app: App, push_all: bool) -> tuple[ExchangeReport, list[str]]:
    context = app.home.context
    address = str(context.settings["store"])
    if not address:
        raise UsageError(
            "no shared store is set, so sync needs a directory",
            code="no-store",
            hint=app.command("sync", "DIR"),
        )
    if push_all:
        joined = push_all_to_store(context)
        rows = {name: count for name, count in joined.rows.items() if count}
        lines = [f"Pushed {_list_counts(rows)} to {joined.store_id}.", *joined.lines]
        return ExchangeReport(address, rows, {}, []), lines
    store = context.db.shared
    assert isinstance(store, PostgresStore)
    applied = store.bring_up_to_date()
    lines = [f"Up to date with {address}: {count(applied, 'new change')}."]
    return ExchangeReport(address, {}, {"changes": applied}, []), lines


def _list_counts(counts: dict[str, int]) -> str:
    parts = []
    for name, number in counts.items():
        plural = name.replace("_", " ")  # of the name of a table
        if number:
            parts.append(count(number, *NOUNS.get(name, (plural.removesuffix("s"), plural))))
    return ", ".join(parts) or "nothing"
