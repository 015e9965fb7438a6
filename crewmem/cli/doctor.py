"""``crewmem doctor``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.health.check import Check
    from crewmem.health.finding import Finding

MOST = 10
"""Findings of one check that are printed; a thousand of a kind hide the others."""

INDENT = " " * 6
"""Before what is said of a finding below it."""

REPAIR = ("dim", "repair: ")
"""Before a command that somebody may copy: its line is never broken."""

LOOK = ("dim", "look: ")
"""The same, of a command that only shows more."""

STYLES = {"fail": "bad", "warn": "warn", "pass": "good", "skip": "dim"}


@verb
@option(
    "-p",
    "--path",
    metavar="DIR",
    help="Check this memory directory or crew alone; needs no home.",
)
@option("--fix", is_flag=True, help="Repair what is safe to repair.")
@option("--dry-run", is_flag=True, help="With --fix: say what it would repair.")
@option("--strict", is_flag=True, help="End with 1 on a warning, too.")
@option("--only", multiple=True, metavar="ID", help="Only this check, or category.")
@pass_app
def doctor_command(
    app: App,
    *,
    path: str | None,
    fix: bool,
    dry_run: bool,
    strict: bool,
    only: tuple[str, ...],
) -> None:
    """Check everything there is, and repair what is safe to repair.

    What should be otherwise is printed with the command that repairs it; -v prints
    every check. Looking makes nothing and changes nothing, and works on a tree that
    cannot be written, with no home and with settings that cannot be read. For operators
    the embedder is timed with a short text, and systemd or cron is asked for timers.
    --fix is for operators; it prints what it did, and everything is looked at again.
    It can be run at any time, beside others, and twice.

    The status is 1 when a check failed, with --strict also on a warning.
    """
    from crewmem.health.diagnose import chosen
    from crewmem.scope import require_operator

    if dry_run and not fix:
        raise click.UsageError("--dry-run goes with --fix.")
    if fix:
        require_operator((app.sight_of_path if path else app).actor, "repair")
    checks = chosen(only)
    findings = _findings(app, path, checks, fix=fix and not dry_run)
    verbose = bool(app.given.get("verbose"))
    lines = _lines(findings, len(checks), verbose=verbose, dry_run=dry_run)
    app.out.listing_lines(findings, _fitting(app, lines))
    fixes = sum(bool(each.fix and each.is_problem) for each in findings)
    if fixes and not fix:
        app.out.note(f"--fix repairs {fixes} of these.")
    if fix and not dry_run and not path and _is_read_only(app):
        app.out.note("Nothing was repaired in the home: it cannot be written.")
    bad = {"fail", "warn"} if strict else {"fail"}
    app.conclude(ok=not any(each.status in bad for each in findings))


def _is_read_only(app: App) -> bool:
    from crewmem import disk

    return app.home.is_dir() and not disk.is_writable(app.home)


def _findings(
    app: App, path: str | None, checks: Sequence[Check], *, fix: bool
) -> list[Finding]:
    """Return what *checks* find; with *fix*, what they find after it."""
    from crewmem.cli.scene import scene
    from crewmem.health.diagnose import diagnose, mend, settled

    before = scene(app, path)
    findings = diagnose(before, checks)
    tried = mend(before, findings, checks) if fix else {}
    return settled(diagnose(scene(app, path), checks), tried) if tried else findings


def _fitting(app: App, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield *lines*, broken where a terminal is too narrow; but commands stay whole."""
    if not app.out.stdout.isatty():
        yield from lines
        return
    from crewmem.cli.folding import columns, folded

    most = columns(app.out.stdout, app.world.environ)
    for line in lines:
        if not isinstance(line, str) and (REPAIR in line or LOOK in line):
            yield line
        else:
            yield from folded([line], most, len(INDENT))


def _lines(
    findings: Sequence[Finding], checks: int, *, verbose: bool, dry_run: bool
) -> Iterator[Line]:
    """Yield what needs attention, the worst first, what was fixed, and a summary."""
    from crewmem.health.finding import RANKS

    told: dict[str, int] = {}
    for each in sorted(findings, key=lambda each: (RANKS[each.status], each.fixed)):
        if not (each.is_problem or each.fixed or verbose):
            continue
        told[each.id] = told.get(each.id, 0) + 1
        if verbose or told[each.id] <= MOST:
            yield from _about(each, dry_run=dry_run)
    for name, count in told.items():
        if count > MOST and not verbose:
            yield f"{INDENT}{name}: {count - MOST:,} more; -v shows them"
    yield _summary(findings, checks)


def _about(each: Finding, *, dry_run: bool) -> Iterator[Line]:
    status = "fixed" if each.fixed else str(each.status)
    style = STYLES[each.status]
    where = f"{each.where}: " if each.where and each.where not in each.observed else ""
    yield [(style, f"{status:5}"), " ", ("bold", each.id), "  ", where, each.observed]
    if each.fixed:
        yield f"{INDENT}done: {each.fix}"
        return
    if not each.is_problem:
        return
    if each.expected:
        yield [INDENT, ("dim", "should be: "), each.expected]
    if dry_run and each.fix:
        yield [INDENT, ("dim", "--fix would: "), each.fix]
    elif each.repair:
        yield [INDENT, REPAIR, each.repair]
    if each.look:
        yield [INDENT, LOOK, each.look]


def _summary(findings: Sequence[Finding], checks: int) -> str:
    """Count the checks, each by the worst it found, and what was fixed."""
    from crewmem.health.advice import counted
    from crewmem.health.finding import Status, worst

    by_check: dict[str, list[Finding]] = {}
    for each in findings:
        by_check.setdefault(each.id, []).append(each)
    verdicts = [worst(some) for some in by_check.values()]
    counts = [
        f"{verdicts.count(status)} {status}"
        for status in (Status.PASS, Status.WARN, Status.FAIL, Status.SKIP)
        if status in verdicts
    ]
    fixed = sum(each.fixed for each in findings)
    said = f"{counted(checks, 'check')}: {', '.join(counts)}"
    return f"{said}; {fixed} fixed" if fixed else said
