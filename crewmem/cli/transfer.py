"""The commands `crewmem export` and `crewmem import`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.errors import UsageError
from crewmem.origins import ORIGINS
from crewmem.text.wording import count
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.exporter import PARTS, Exporter, ExportReport
from crewmem.transfer.importer import Importer, ImportPlan


@click.command(cls=Command, answer=ExportReport)
@click.option(
    "--out",
    "-o",
    required=True,
    type=options.PATH,
    metavar="DIR|FILE.tar.gz",
    help="Directory or archive to write.",
)
@options.choice(
    "--only", PARTS, field="parts", multiple=True, help="Only this part; may be repeated."
)
@options.include_restricted
@pass_app
def export(app: App, out: str, parts: tuple[str, ...], include_restricted: bool) -> None:
    """Write a bundle of memory.

    It contains the memory files, versions, facts and journal entries that you may read, but never
    the profiles of people. The same memory always gives the same bytes.
    """
    if out == "-":
        raise UsageError(
            "a bundle is a directory or an archive; it cannot go to standard output",
            code="no-output",
            command="export --out FILE.tar.gz",
        )
    path = Path(out).expanduser().absolute()
    report = Exporter(app.home).write(path, parts=parts, include_restricted=include_restricted)
    lines = [
        (
            f"Wrote {report.path}: {count(report.files, 'file')}, {count(report.facts, 'fact')},"
            f" {count(report.entries, 'entry', 'entries')}, {count(report.versions, 'version')}"
            f" ({count(report.bytes, 'byte')})."
        )
    ]
    app.show(report, lines)


@click.command("import", cls=Command, answer=ImportPlan)
@click.option(
    "--from",
    "source",
    required=True,
    type=options.PATH,
    metavar="SRC",
    help="Directory, file, archive, or -.",
)
@options.crew_option("Import for this crew.", default="")
@options.agent_option("Import for this agent.", default="")
@options.choice(
    "--origin",
    ORIGINS,
    help="Highest origin class of the texts. Default: depends on the source.",
)
@options.choice(
    "--merge",
    ["append", "replace", "skip"],
    default="append",
    help="What to do with existing files.",
)
@click.option("--group", metavar="NAME", default="", help="Group of a NanoClaw installation.")
@click.option(
    "--user", "person", metavar="USER", default="", help="Person that a USER.md describes."
)
@click.option("--apply", is_flag=True, help="Apply the plan instead of printing it.")
@options.strict
@pass_app
def import_(app: App, source: str, apply: bool, strict: bool, **arguments: Any) -> None:
    """Read memory from bundles and other tools.

    Prints a plan; nothing is written without --apply. Reads bundles of crewmem and OKF,
    .memory trees, OpenClaw, NanoClaw, Claude Code, Codex, basic-memory, Obsidian vaults and
    any markdown, and facts of claude-mem, mem0, OtterCamp, Engram, Beads, or JSON lines.
    """
    path = Path(source) if source == "-" else Path(source).expanduser().absolute()
    data = sys.stdin.buffer.read() if source == "-" else None
    with app.progress("Importing files") as progress:
        importer = Importer(app.home, ImportOptions(**arguments), progress)
        plan = importer.run(path, apply=apply, data=data)
    app.show(plan, lambda: _format_plan(app, plan))
    if strict and not all(part.is_imported for part in plan.left_out):
        app.exit(1)


def _format_plan(app: App, plan: ImportPlan) -> list[str]:
    applied = plan.applied
    lines = [
        f"{plan.source}: {plan.layout}",
        f"Target: {plan.target} (origin at most {plan.origin})",
    ]
    if plan.registry:
        lines.append(f"{'Added' if applied else 'To add'}: {', '.join(plan.registry)}")
    lines += app.output.limit(
        [
            f"  {write.action} {write.file} ({write.bytes:,} bytes) <- {write.source}"
            for write in plan.files
        ]
    )
    lines += app.output.limit(
        [
            f"  {source} is too long for one file: split into {number} parts, at headings or"
            " paragraphs where it has them"
            for source, number in Counter(write.source for write in plan.files).items()
            if number > 1
        ]
    )
    files = count(len({write.file for write in plan.files}), "file")  # several may go into one
    counted = f"{files} {'written' if applied else 'to write'}, {count(plan.bytes, 'byte')}"
    lines.append(f"{counted}; {plan.unchanged} already there.")
    planned = []
    for name, plural, store in (
        ("fact", "", plan.facts),
        ("entry", "entries", plan.journal),
        ("version", "", plan.versions),
    ):
        if store.records and store.added is None:
            planned.append(count(store.records, name, plural))
        elif store.records:
            lines.append(
                f"{count(store.added or 0, name, plural)} {'added' if applied else 'to add'},"
                f" {store.changed} {'changed' if applied else 'to change'},"
                f" {store.unchanged} already there."
            )
    if planned:
        lines.append(f"It also contains {', '.join(planned)}; existing ones stay.")
    if plan.left_out:
        lines.append(f"Not imported, or changed ({len(plan.left_out)}):")
        lines += app.output.limit(
            [
                f"  {each.source}{f':{each.line}' if each.line else ''}: {each.reason}"
                for each in plan.left_out
            ]
        )
    if plan.review:
        lines.append(
            "Imported texts are external until you trust them:"
            f" {app.command('review show', plan.review)}"
        )
    if not applied:
        lines.append("Nothing was written. Repeat it with --apply.")
    return lines
