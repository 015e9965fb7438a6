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

MAX_JOBS = 4


@click.command(cls=Command, answer=Status)
@options.path
@pass_app
def status(app: App) -> None:
    """Show what is stored, its state, and the next step."""
    found = app.home.status()
    app.show(found, lambda: format_status(found, app))


def format_status(found: Status, app: App) -> list[str]:
    """Format the status as lines that fit one screen."""
    is_home = app.tree_path is None
    lines = [f"{'Home' if is_home else 'Tree'}:      {found.home}"]
    if is_home:
        lines.append(f"Workspace: {found.workspace}, as {found.actor}")
        lines.append(f"Crews:     {found.crews:,} with {count(found.agents, 'agent')}")
    skipped = f", {found.skipped:,} not readable" if found.skipped else ""
    lines += [
        "",
        f"Memory:    {count(found.files, 'file')}, {count(found.chunks, 'chunk')}{skipped}",
    ]
    if is_home or found.entries or found.facts:
        entries = count(found.entries, "entry", "entries")
        lines += [
            f"Facts:     {found.facts:,}",
            f"Journal:   {entries}, {count(found.episodes, 'episode')}",
            f"Sessions:  {found.sessions:,}",
            f"Review:    {list_counts(found.review) or 'nothing waits'}",
        ]
    recall = f"words and meaning ({found.model})" if found.episodic == "vector" else "words only"
    if found.episodic == "vector-degraded":
        recall += f": the embedder of {found.model} does not work"
    if found.backlog:
        recall += f"; {count(found.backlog, 'text waits', 'texts wait')} for a vector"
    lines += ["", f"Recall:    {recall}"]
    if is_home:
        lines += _format_jobs(found, app)
        health = "never measured"
        if found.health is not None:
            health = f"{found.health:.0f} of 100, {found.health_level} ({found.health_date})"
        lines.append(f"Health:    {health}")
    if found.store is not None:
        lines.append(f"Store:     {_format_store(found.store, app)}")
    return [*lines, "", f"Next:      {found.next}", f"           {found.reason}"]


def _format_jobs(found: Status, app: App) -> list[str]:
    if not found.jobs:
        return ["Jobs:      none has run yet"]
    lines: list[str] = []
    for job in found.jobs[:MAX_JOBS]:
        label = "Jobs:      " if not lines else "           "
        age = format_age(parse_time(job.at), app.now)
        lines.append(f"{label}{job.job} {job.result}, {age}")
    if len(found.jobs) > MAX_JOBS:
        lines[-1] += f"; {len(found.jobs) - MAX_JOBS} more: {app.command('timers', 'status')}"
    return lines


def _format_store(store: SharedStatus, app: App) -> str:
    if not store.id:
        text = "not joined"
    elif not store.problem:
        text = f"{store.id}, up to date with change {store.position:,}"
    else:
        state = "away" if store.problem == "store-unreachable" else f"not usable ({store.problem})"
        age = format_age(parse_time(store.contact), app.now) if store.contact else "its beginning"
        text = f"{store.id}, {state}; change {store.position:,} as of {age}"
    if store.queued:
        text += f"; {count(store.queued, 'command waits', 'commands wait')}"
    return text
