"""When a person is told of how recall does, and what. Pure.

Three runs in a row that missed a gate, something laid before who may not read it, and
recall that is a quarter slower twice: nothing else wakes anybody. Of each it is told
once, when it begins.
"""

from __future__ import annotations

from crewmem import times
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.evaluation.gates import Gate

IN_A_ROW = 3
"""Runs that miss a gate before anybody is told."""

SLOWER = 1.25
"""Times the p95 of the run before, from which on a run is slower."""

SLOWER_MS = 50.0
"""Milliseconds by which it has to be as well, a tenth of what recall may take: whatever
else a machine does at night adds as much to a recall of five."""


class Past(NamedTuple):
    """A run, as far as incidents are told of it.

    Attributes:
        id: The run.
        missed: The gates that it missed.
        violations: What was laid before who may not read it.
        p95: In milliseconds; None: not measured.
    """

    id: str
    missed: Sequence[str]
    violations: Sequence[str]
    p95: float | None


class Report(NamedTuple):
    """What is told of an incident.

    Attributes:
        at: When.
        workspace: Where.
        run: The run that it began with.
        reasons: What happened.
        gates: Of the run.
        metrics: The same: of each metric its value.
        good: The last run that passed; None without one.
        config: The settings of that one.
        way_out: The command that leads back.
    """

    at: datetime
    workspace: str
    run: str
    reasons: Sequence[str]
    gates: Sequence[Gate]
    metrics: Mapping[str, float | None]
    good: str | None
    config: Mapping[str, object]
    way_out: str


def reasons(runs: Sequence[Past]) -> list[str]:
    """Return why a person is to be told after the last of *runs*, oldest first."""
    found: list[str] = []
    if not runs:
        return found
    last, before = runs[-1], runs[-2] if len(runs) > 1 else None
    if last.violations and not (before and before.violations):
        found.append(f"scope violation: {', '.join(last.violations[:5])}")
    failed = 0
    for each in reversed(runs):
        if not each.missed:
            break
        failed += 1
    if failed == IN_A_ROW:
        found.append(f"{IN_A_ROW} runs in a row missed {', '.join(last.missed)}")
    if said := _slower(runs):
        found.append(said)
    return found


def _slower(runs: Sequence[Past]) -> str:
    usual, *slow = [each.p95 for each in runs[-3:]]
    if usual is None or len(slow) < 2 or None in slow:  # noqa: PLR2004 - twice
        return ""
    most = max(SLOWER * usual, usual + SLOWER_MS)
    if all(each is not None and each > most for each in slow):
        told = " and ".join(f"{each:,.0f}" for each in slow)
        return f"p95 is {told} ms in two runs, {usual:,.0f} ms before them"
    return ""


def name(at: datetime) -> str:
    """Return what the file of an incident is called."""
    return f"{times.to_text(at).replace(':', '')}-eval.md"


def text(report: Report) -> str:
    """Return what stands in the file of an incident."""
    lines = [
        f"# Recall regressed: {report.workspace}",
        "",
        f"At {times.to_text(report.at)}, run {report.run}.",
        "",
        *(f"- {each}" for each in report.reasons),
        "",
        "## Gates",
        "",
        "| gate | measured | bound | |",
        "|---|--:|--:|---|",
        *(_gate_line(each) for each in report.gates),
        "",
        "## Metrics",
        "",
        "| metric | value |",
        "|---|--:|",
        *(f"| {name} | {_told(value)} |" for name, value in report.metrics.items()),
        "",
        "## The last good config",
        "",
    ]
    if report.good:
        lines += [f"Of run {report.good}:", ""]
        lines += [f"    {key} = {value}" for key, value in report.config.items()]
    else:
        lines += ["No run has passed yet."]
    return "\n".join([*lines, "", "## What to do", "", f"    {report.way_out}", ""])


def _gate_line(gate: Gate) -> str:
    said = {True: "holds", False: "missed", None: "not measured"}[gate.passed]
    bound = f"{gate.comparator} {_told(gate.threshold)}"
    return f"| {gate.name} | {_told(gate.actual)} | {bound} | {said} |"


def _told(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.3f}".rstrip("0").rstrip(".")
