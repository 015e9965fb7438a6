"""The command `crewmem sync`."""

from dataclasses import dataclass
from typing import Any

import click

from crewmem.cli.command import Command, pass_app
from crewmem.cli.context import App
from crewmem.errors import UsageError


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did.

    Attributes:
        place: The directory, or the shared store.
        sent: Records that the place did not have; of a store rows, by table.
        received: What is new here, by kind.
        waiting: Items that wait in review: files that were changed on two hosts.
    """

    place: str
    sent: dict[str, int]
    received: dict[str, int]
    waiting: list[str]


@click.command(cls=Command, answer=Synced)
@click.argument("place", metavar="[DIR|ssh://HOST/DIR]", required=False)
@click.option("--push-all", is_flag=True, help="Move this home's truth into a new shared store.")
@pass_app
def sync(app: App, place: str | None, push_all: bool) -> None:
    """Exchange memory with other homes through a directory, a git repository or ssh.

    Without DIR a home with a shared store is brought up to date with it. With --push-all the
    home's truth moves into the store that the setting `store` names, once.
    """
    app.require_operator("sync")
    if push_all and place is not None:
        raise UsageError("--push-all needs no DIR: the setting store names the store", code="usage")
    home = app.home
    if place is None:
        record, lines = _sync_store(app, push_all)
    else:
        from crewmem.transfer.sync import Sync

        parts = home.context, home.memory, home.facts, home.journal, home.registry
        report = Sync(*parts).run(place)
        record = Synced(report.place, report.sent, report.received, report.waiting)
        lines = [
            f"Sent {_list_counts(report.sent)}; received {_list_counts(report.received)}.",
            *(f"Waits in review: {app.command('review show', item)}" for item in report.waiting),
        ]
    app.show(record, lines)


def _sync_store(app: App, push_all: bool) -> tuple[Synced, list[str]]:
    from crewmem.hosts.joining import push_all_to_store
    from crewmem.hosts.store import PostgresStore

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
        return Synced(address, rows, {}, []), lines
    store: Any = context.db.shared
    assert isinstance(store, PostgresStore)
    applied = store.bring_up_to_date()
    lines = [f"Up to date with {address}: {applied:,} new changes."]
    return Synced(address, {}, {"changes": applied}, []), lines


def _list_counts(counts: dict[str, int]) -> str:
    parts = [f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items() if number]
    return ", ".join(parts) or "nothing"
