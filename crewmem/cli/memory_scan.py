"""The command `crewmem memory scan`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.completers import complete_file
from crewmem.cli.output import Human
from crewmem.errors import NotFoundError, UsageError
from crewmem.files.scan import ScanReport, scan_path
from crewmem.security.findings import Finding
from crewmem.security.scanner import Scanner
from crewmem.text.wording import count


class ScanAnswer(NamedTuple):
    """The findings of the scanner."""

    files: int
    attacks: int
    suspicious: int
    secrets: int
    findings: tuple[Finding, ...]
    skipped: tuple[tuple[str, str], ...]


def _find_referenced_file(app: App, target: str) -> Path | None:
    """Return the path of the memory file that *target* refers to; None if it is not one."""
    try:
        file = app.home.memory.locator.resolve(target)
        app.home.memory.locator.check_read(file)
        return file.path
    except NotFoundError:
        return None


@click.command("scan", cls=Command, answer=ScanAnswer)
@click.argument("target", metavar="PATH", required=False, shell_complete=complete_file)
@options.path
@pass_app
def scan(app: App, target: str | None) -> None:
    """Scan a file, the markdown of a directory, or standard input (-).

    Ends with status 1 if there are attacks or secrets.
    """
    if target is None and app.tree_path is None:
        raise UsageError("name a file or directory, or - for standard input", code="no-target")
    scanner = Scanner(app.settings.file("scan.rules"))
    if target == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        report = ScanReport(files=1, findings=scanner.scan(text, file="-"))
    else:
        path = Path(target) if target is not None else app.tree_path
        if path is not None and target is not None and not path.exists():
            path = _find_referenced_file(app, target)
        if path is None or not path.exists():
            raise NotFoundError(f"there is no file or directory '{target}'", code="path-not-found")
        report = scan_path(scanner, path, allow=app.settings["scan.allow"])
    answer = ScanAnswer(
        files=report.files,
        attacks=report.count("attack"),
        suspicious=report.count("suspicious"),
        secrets=report.count("secret"),
        findings=tuple(report.findings),
        skipped=tuple(report.skipped),
    )

    def human() -> Human:
        lines = [finding.describe() for finding in report.findings]
        lines += [f"skipped {file}: {reason}" for file, reason in report.skipped]
        summary = (
            f"{count(answer.files, 'file')}: {count(answer.attacks, 'attack')},"
            f" {count(answer.secrets, 'secret')}, {count(answer.suspicious, 'suspicious passage')}"
        )
        return [*lines, summary]

    app.show(answer, human)
    if answer.attacks or answer.secrets:
        app.exit(1)
