"""Commands of `crewmem consolidate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.consolidation.plan import FACT
from crewmem.consolidation.report import ConsolidationRun
from crewmem.errors import UsageError
from crewmem.text.wording import count


@click.group(cls=Group)
def consolidate() -> None:
    """Promote what recurs into memory."""


@consolidate.command("run", answer=ConsolidationRun)
@options.crew
@options.agent
@options.since
@options.dry_run
@options.choice(
    "--policy",
    ["auto", "review"],
    help="Apply at once, or let the plan wait in review; by default as the crew is set.",
)
@options.path
@pass_app
def run(app: App, dry_run: bool, **chosen: Any) -> None:
    """Promote what recurs in notes, journal and sessions.

    What notes mark as lasting is promoted at once. Reads what is new since the last run; --since
    reads further back. With --path it prints the plan for any directory of markdown.
    """
    if app.tree_path is not None and not dry_run:
        raise UsageError(
            "with --path only the plan is printed: add --dry-run", code="dry-run-needed"
        )
    started = app.home.context.now_text
    result = app.home.consolidation.run(dry_run=dry_run, path=app.tree_path, **chosen)
    if app.tree_path is None and not (chosen["crew"] or chosen["agent"]):
        skills = app.home.consolidation.propose_skills(dry_run=dry_run)
        result.skills += skills
        result.review += filter(None, skills.values())
    steps = [] if app.output.quiet else _list_steps(app, result, started)
    app.show(result, lambda: [*_format_run(result, verbose=app.output.verbose), *steps])


def _list_steps(app: App, result: ConsolidationRun, started: str) -> list[str]:
    """Return the commands with which a person looks at what a run did, and decides."""
    command = app.home.context.command
    steps = []
    facts = sum(each.target == FACT for each in result.learned)
    if facts and result.status == "ok":
        wanted = ("--limit", str(min(facts, 1000))) if facts > 50 else ()
        listed = command("fact list", "--since", started, *wanted)
        steps.append(f"Look through the {count(facts, 'fact')}: {listed}")
    if result.review:
        steps.append("Decide with:")
    return [*steps, *(command("review show", item) for item in result.review)]


def _format_run(result: ConsolidationRun, *, verbose: int) -> Iterator[str]:
    """Yield the lines for people."""
    if result.status == "skipped-locked":
        yield "Another consolidation is running; nothing was done."
        return
    planned = result.status == "planned"
    crew = ""
    for each in result.learned:
        owner = "/".join(filter(None, (each.crew, each.agent)))
        if owner != crew:
            crew = owner
            yield f"{owner}:"
        yield f"  {each.kind}: {each.text}"
        yield f"    -> {each.target}  ({', '.join(each.evidence[:3])})"
    for edit in result.edits if planned or verbose else ():
        yield ""
        yield from edit.diff.split("\n")
    for file in result.archived:
        yield f"{'would archive' if planned else 'archived'} {file}"
    for contradiction in result.contradictions:
        yield f"contradiction: {contradiction.text}"
    for skill in result.skills:
        yield f"skill candidate: {skill}, which sessions did three times or more with success"
    for left in result.dropped:
        if verbose or not left.reason.startswith("known"):
            yield f"left out: {left.text}: {left.reason}"
    seldom = f", {result.waiting_count} seen too seldom yet" if result.waiting_count else ""
    if result.status == "nothing-new" and not result.learned:
        yield f"Nothing new{seldom}."
        return
    verb = {"planned": "would be learned", "review": "proposed"}.get(result.status, "learned")
    yield (
        f"{count(result.read, 'input')} read, {len(result.learned)} {verb}{seldom},"
        f" {count(len(result.contradictions), 'contradiction')}."
    )
