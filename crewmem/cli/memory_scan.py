"""The command `crewmem memory scan`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.completers import complete_file
from crewmem.cli.output import Human
from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import NotFoundError, UsageError
from crewmem.files.tiers import OWN_TIERS
from crewmem.files.tree import find_tree_directories
from crewmem.security.scanner import Scanner, ScanReport
from crewmem.text.wording import count


class ScanAnswer(NamedTuple):
    """The findings of the scanner.

    Attributes:
        findings: With file, line, class and rule; the text of a secret is left out.
    """

    files: int
    attacks: int
    suspicious: int
    secrets: int
    findings: tuple[dict[str, Any], ...]
    skipped: tuple[tuple[str, str], ...] = ()


def _describe_finding(finding: Any) -> dict[str, Any]:
    """Return a finding for JSON, with the field ``class``, which Python reserves."""
    return {
        "file": finding.file,
        "class": finding.cls,
        "category": finding.category,
        "rule": finding.rule,
        "first_line": finding.first_line,
        "last_line": finding.last_line,
        "matched": finding.matched,
    }


def _find_referenced_file(app: App, target: str) -> Path | None:
    """Return the path of the memory file that *target* refers to; None if it is not one."""
    try:
        found, _ = app.home.memory.locator.resolve(target)
        app.home.memory.locator.check_read(found)
        return found.path
    except NotFoundError:
        return None


@click.command("scan", cls=Command, answer=ScanAnswer)
@click.argument("target", metavar="PATH", required=False, shell_complete=complete_file)
@options.path
@pass_app
def scan(app: App, target: str | None) -> None:
    """Print what the scanner finds in a file, the markdown of a directory, or -.

    Ends with status 1 when there are attacks or secrets.
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
        report = _scan_path(scanner, path, app.settings["scan.allow"])
    found = ScanAnswer(
        files=report.files,
        attacks=report.count("attack"),
        suspicious=report.count("suspicious"),
        secrets=report.count("secret"),
        findings=tuple(_describe_finding(finding) for finding in report.findings),
        skipped=tuple(report.skipped),
    )

    def human() -> Human:
        lines = [finding.describe() for finding in report.findings]
        lines += [f"skipped {file}: {reason}" for file, reason in report.skipped]
        summary = (
            f"{count(found.files, 'file')}: {count(found.attacks, 'attack')},"
            f" {count(found.secrets, 'secret')}, {count(found.suspicious, 'suspicious passage')}"
        )
        return [*lines, summary]

    app.show(found, human)
    if found.attacks or found.secrets:
        app.exit(1)


def _scan_path(scanner: Scanner, path: Path, allow: Sequence[str]) -> ScanReport:
    """Scan a file, or a directory with the memory directories hidden in it."""
    if not path.is_dir():
        return scanner.scan_path(path, allow=allow)
    root = path.resolve()
    directories = find_tree_directories(root)

    def is_own_tier(place: Path, relative: str) -> bool:
        file = place / relative
        return any(
            file.is_relative_to(each.path)
            and each.tier_of(str(file.relative_to(each.path))) in OWN_TIERS
            for each in directories
        )

    hidden = [each.path for each in directories if each.path.name == MEMORY_DIRECTORY]
    whole = ScanReport()
    for place in dict.fromkeys((root, *hidden)):
        part = scanner.scan_path(place, own_tier=partial(is_own_tier, place), allow=allow)
        below = f"{place.relative_to(root)}/" if place != root else ""
        whole.files += part.files
        whole.findings += [each._replace(file=below + each.file) for each in part.findings]
        whole.skipped += [(below + file, why) for file, why in part.skipped]
    return whole
