"""Commands of `crewmem consolidate`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.output import Output
from crewmem.consolidation.plan import FACT
from crewmem.consolidation.report import ConsolidationRun, Promoted
from crewmem.errors import UsageError
from crewmem.text.wording import count


@click.group(cls=Group)
def consolidate() -> None:
    """Promote recurring statements into memory."""


@consolidate.command("run", answer=ConsolidationRun)
@options.crew
@options.agent
@options.since
@options.dry_run
@options.choice(
    "--policy",
    ["auto", "review"],
    help="Apply the plan at once or put it in review. Default: the crew's setting.",
)
@options.path
@pass_app
def run(app: App, dry_run: bool, **chosen: Any) -> None:
    """Promote statements that recur in notes, journal and sessions.

    Statements that notes mark as lasting are promoted at once. It reads what is new since the last
    run, or since --since. With --path it prints the plan for any directory of markdown.
    """
    if app.tree_path is not None and not dry_run:
        raise UsageError("--path only prints the plan: add --dry-run", code="dry-run-needed")
    started = app.home.context.now_text
    result = app.home.consolidation.run(dry_run=dry_run, path=app.tree_path, **chosen)
    if app.tree_path is None and not (chosen["crew"] or chosen["agent"]):
        skills = app.home.consolidation.propose_skills(dry_run=dry_run)
        result.skills += skills
        result.review += filter(None, skills.values())
    command = app.home.context.command
    steps = [command("review show", item) for item in result.review]
    facts = sum(each.target == FACT for each in result.learned)
    if facts and not dry_run:
        steps.insert(0, command("fact list", "--since", started, "--limit", str(min(facts, 1000))))
    app.show(result, lambda: [*_format_run(result, app.output), *app.next_step(*steps)])


def _format_run(result: ConsolidationRun, output: Output) -> Iterator[str]:
    """Yield lines for people."""
    if result.status == "skipped-locked":
        yield "Another consolidation is running; nothing was done."
        return
    planned = result.status == "planned"

    def name_owner(each: Promoted) -> str:
        return "/".join(filter(None, (each.crew, each.agent)))

    where = " (for review)" if planned else " (in review)"
    for statements, state in ((result.learned, ""), (result.proposed, where)):
        for owner, owned in groupby(sorted(statements, key=name_owner), key=name_owner):
            yield f"{owner or 'statements'}{state}:"
            for each in owned:
                yield f"  {each.kind}: {each.text}"
                places = (place.partition("@")[0] for place in each.evidence[:3])
                yield f"    -> {each.target}  ({', '.join(places)})"
    for edit in result.edits if planned or output.verbose else ():
        yield ""
        yield from edit.diff.split("\n")
    targets = {each.target for each in (*result.learned, *result.proposed)}
    updated = [edit.file for edit in result.edits if edit.file not in targets]
    yield from output.limit(
        [f"{'would update' if planned else 'updated'} {file}" for file in updated]
    )
    verb = "would archive" if planned else "archived"
    yield from output.limit([f"{verb} {file}" for file in result.archived])
    for contradiction in result.contradictions:
        yield f"contradiction: {contradiction.text}"
    for skill in result.skills:
        yield f"skill candidate: {skill}, which succeeded in sessions three times or more"
    for left in result.dropped:
        if output.verbose or not left.reason.startswith("known"):
            yield f"left out: {left.text}: {left.reason}"
    waiting = f", {result.waiting_count} not frequent enough yet" if result.waiting_count else ""
    if result.status == "nothing-new" and not result.learned:
        yield f"Nothing new{waiting}."
        return
    would = "would be " if planned else ""
    proposed = f", {len(result.proposed)} {would}proposed" if result.proposed else ""
    yield (
        f"{count(result.read, 'input')} read,"
        f" {len(result.learned)} {would}learned{proposed}{waiting},"
        f" {count(len(result.contradictions), 'contradiction')}."
    )
