"""The command `crewmem doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import groupby
from operator import attrgetter

import click

from crewmem.access import Access
from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.hooks import list_hooks
from crewmem.config import load_settings
from crewmem.errors import CrewmemError, SettingsError, UsageError
from crewmem.health.doctor import (
    FAIL,
    PASS,
    SKIP,
    WARN,
    Finding,
    Report,
)
from crewmem.home import Home, Tree
from crewmem.registry.membership import name_workspace
from crewmem.text.wording import count

MARKS = {PASS: "ok  ", WARN: "WARN", FAIL: "FAIL", SKIP: "skip"}
WORDS = {PASS: "passed", SKIP: "skipped", WARN: "warned", FAIL: "failed"}
"""From the best to the worst."""

MAX_FINDINGS = 3
"""Maximum findings shown per check without ``-v``."""


@click.command(cls=Command, answer=Report)
@click.option("--fix", is_flag=True, help="Repair what is safe.")
@options.dry_run
@click.option("--strict", is_flag=True, help="End with status 1 on a warning, too.")
@click.option("--only", multiple=True, metavar="ID", help="Run only this check; may be repeated.")
@options.path
@pass_app
def doctor(app: App, fix: bool, dry_run: bool, strict: bool, only: tuple[str, ...]) -> None:
    """Check everything; repair what is safe.

    Prints problems and the commands that repair them; with -v also the passed checks. Repairs
    that change what people wrote are made only with --fix --only ID.
    """
    if dry_run and not fix:
        raise UsageError("--dry-run needs --fix", code="usage", command="doctor --fix --dry-run")
    home, settings_error, error = open_subject(app)
    if fix and not dry_run and not isinstance(home, Tree):
        app.require_operator("repair a home")
    report = home.doctor(
        only=only,
        fix=fix,
        dry_run=dry_run,
        error=error,
        settings_error=settings_error,
        list_hooks=None if error or isinstance(home, Tree) else lambda: list_hooks(app, home),
    )
    if error is None and not isinstance(home, Tree) and home.context.access.is_operator:
        warn_of_other_workspaces(home)
    show_all = app.output.verbose > 0 or bool(only)
    app.show(
        report,
        lambda: format_report(
            report,
            show_all=show_all,
            dry_run=dry_run,
            more=lambda check: home.context.command("doctor --only", check),
        ),
        rows=report.findings,
    )
    app.exit(report.exit_status(strict=strict))


def warn_of_other_workspaces(home: Home) -> None:
    """Warn that the other workspaces of the home were not examined."""
    context = home.context
    names = [each.name for each in home.registry.list_workspaces()]
    others = [name for name in names if name != context.workspace]
    if others:
        context.warn(
            "other-workspaces",
            f"only workspace '{context.workspace}' was examined, not "
            + ", ".join(f"'{name}'" for name in others),
            name_workspace(context, others[0]).command("doctor"),
        )


def open_subject(app: App) -> tuple[Home, CrewmemError | None, CrewmemError | None]:
    """Return the home to examine, the error of its settings, and the error of opening it."""
    settings_error: CrewmemError | None = None
    try:
        app.settings  # noqa: B018 - this reads them
    except SettingsError as error:
        settings_error = error
        app.settings = load_settings(None)
    try:
        home = app.home
        if isinstance(home, Tree):
            home.memory_index.directories  # noqa: B018 - raises NotFoundError if there are none
        else:
            home.registry.get_workspace(app.workspace)
        return home, settings_error, None
    except CrewmemError as error:
        if app.tree_path is not None:
            raise
        if error.code == "workspace-not-found":
            raise
        context = app.make_context(app.home_path)
        context.access = Access(app.find_actor(lambda _: []), app.workspace)
        app.home = Home(context)
        return app.home, settings_error, error


def format_report(
    report: Report, *, show_all: bool, dry_run: bool, more: Callable[[str], str]
) -> list[str]:
    """Format the first findings of each check that did not pass, or all findings.

    Args:
        more: Returns the command that shows all findings of a check.
    """
    lines = []
    for check, group in groupby(report.findings, key=attrgetter("id")):
        findings = [each for each in group if show_all or each.status in (WARN, FAIL)]
        findings.sort(key=lambda each: each.status != FAIL)
        shown = findings
        if not show_all and len(findings) > MAX_FINDINGS + 1:
            shown = findings[:MAX_FINDINGS]
        for finding in shown:
            lines += _format_finding(finding)
        if len(shown) < len(findings):
            lines.append(f"      and {len(findings) - len(shown)} more: {more(check)}")
    for repair in report.repairs:
        verb = "would repair" if dry_run else "repaired"
        lines += [f"{verb} {repair.id}: {line}" for line in repair.done]
    if lines:
        lines.append("")
    worst: dict[str, str] = {}
    for finding in report.findings:
        worst[finding.id] = max(worst.get(finding.id, PASS), finding.status, key=[*WORDS].index)
    counts = Counter(worst.values())
    parts = [f"{counts[status]} {word}" for status, word in WORDS.items() if counts[status]]
    return [*lines, f"{count(len(worst), 'check')}: {', '.join(parts)}."]


def _format_finding(finding: Finding) -> list[str]:
    lines = [f"{MARKS[finding.status]}  {finding.id}: {finding.observed}"]
    if finding.status in (WARN, FAIL):
        if finding.expected:
            lines.append(f"      expected: {finding.expected}")
        if finding.fix:
            lines.append(f"      fix: {finding.fix}")
    return lines
