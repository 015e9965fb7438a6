"""The command `crewmem status`."""

from __future__ import annotations

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.health.status import Status
from crewmem.storage.sqlite import SharedStatus
from crewmem.text.wording import count, list_counts
from crewmem.times import format_age, parse_time

MAX_JOBS = 3


@click.command(cls=Command, answer=Status)
@options.path
@pass_app
def status(app: App) -> None:
    """Show what is stored, its state, and the next step."""
    record = app.home.status()
    app.show(record, lambda: format_status(record, app))


def format_status(record: Status, app: App) -> list[str]:
    """Format the status as lines that fit one screen."""
    is_home = app.tree_path is None
    lines = [f"{'Home' if is_home else 'Tree'}:      {record.home}"]
    if is_home:
        lines.append(f"Workspace: {record.workspace}, as {record.actor}")
        lines.append(f"Crews:     {record.crews:,} with {count(record.agents, 'agent')}")
    skipped = f", {record.skipped:,} unreadable" if record.skipped else ""
    lines += [
        "",
        f"Memory:    {count(record.files, 'file')}, {count(record.chunks, 'chunk')}{skipped}",
    ]
    if is_home or record.entries or record.facts:
        entries = count(record.entries, "entry", "entries")
        lines += [
            f"Facts:     {record.facts:,}",
            f"Journal:   {entries}, {count(record.episodes, 'episode')}",
            f"Sessions:  {record.sessions:,}",
            f"Review:    {list_counts(record.review) or 'nothing waits'}",
        ]
    recall = f"words and meaning ({record.model})" if record.episodic == "vector" else "words only"
    if record.episodic == "vector-degraded":
        recall += f": the embedder of {record.model} does not work"
    if record.backlog:
        recall += f"; {count(record.backlog, 'text waits', 'texts wait')} for a vector"
    lines += ["", f"Recall:    {recall}"]
    if is_home:
        lines += _format_jobs(record, app)
        health = "never measured"
        if record.health is not None:
            health = f"{record.health:.0f} of 100, {record.health_level} ({record.health_date})"
        lines.append(f"Health:    {health}")
    if record.store is not None:
        lines.append(f"Store:     {_format_store(record.store, app)}")
    return [*lines, "", f"Next:      {record.next}", f"           {record.reason}"]


def _format_jobs(record: Status, app: App) -> list[str]:
    if not record.jobs:
        return ["Jobs:      none has run yet"]
    lines: list[str] = []
    for job in record.jobs[:MAX_JOBS]:
        label = "Jobs:      " if not lines else "           "
        age = format_age(parse_time(job.at), app.now)
        lines.append(f"{label}{job.job} {job.result}, {age}")
    if len(record.jobs) > MAX_JOBS:
        more = len(record.jobs) - MAX_JOBS
        lines.append(f"           {more} more: {app.command('timers', 'status')}")
    return lines


def _format_store(store: SharedStatus, app: App) -> str:
    if not store.id:
        text = "not joined"
    elif not store.problem:
        text = f"{store.id}, up to date with change {store.position:,}"
    else:
        is_away = store.problem == "store-unreachable"
        state = "unreachable" if is_away else f"not usable ({store.problem})"
        age = format_age(parse_time(store.contact), app.now) if store.contact else "its beginning"
        text = f"{store.id}, {state}; change {store.position:,} as of {age}"
    if store.queued:
        text += f"; {count(store.queued, 'command waits', 'commands wait')}"
    return text
