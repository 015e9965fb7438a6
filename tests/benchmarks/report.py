"""The table of results, and the same as JSON. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.row import Of, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.benchmarks.measuring import Cost
    from tests.benchmarks.row import Result

SCHEMA = 1
"""Of the JSON document."""

HEADER = (
    "row",
    "what",
    "cpu",
    "wall",
    "baseline",
    "cpu",
    "wall",
    "x cpu",
    "x wall",
    "goal",
    "stretch",
    "",
)

LEFT = (0, 1, 4, 11)
"""Columns of text; the others hold numbers."""

NAME_CHARS = 36
"""Most characters of a baseline's name."""


def table(results: Iterable[Result]) -> list[str]:
    """Return the lines of the table; times are milliseconds."""
    return aligned([HEADER, *map(_line, results)], LEFT)


def aligned(lines: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Return *lines* of cells as text, those of the columns *left* flush left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _line(result: Result) -> tuple[str, ...]:
    row = result.row
    goals = (_goal(row.goal), _goal(row.stretch))
    if result.costs is None:
        cells = ("", "", result.reason.partition(": ")[0][:NAME_CHARS], *[""] * 4)
        return (row.key, row.title, *cells, *goals, str(result.verdict))
    one, other = (_amounts(cost, row.of) for cost in result.costs)
    name = result.names[1][:NAME_CHARS]
    ratios = [f"{ratio:.2f}" for ratio in result.ratios]
    cells = (*one, name, *other, *ratios, *[""] * (2 - len(ratios)))
    return (row.key, row.title, *cells, *goals, _said(result))


def _amounts(cost: Cost, of: Of) -> tuple[str, str]:
    if of is Of.TIME:
        return f"{1000 * cost.cpu:.1f}", f"{1000 * cost.wall:.1f}"
    amount = cost.peak if of is Of.PEAK else cost.left
    return f"{amount / 1e6:.1f} MB", ""


def _goal(goal: float | None) -> str:
    return "" if goal is None else f"{goal:g}"


def _said(result: Result) -> str:
    is_better = result.verdict is Verdict.OK and result.is_stretched
    return f"{result.verdict} (stretch)" if is_better else str(result.verdict)


def record(result: Result) -> dict[str, object]:
    """Return *result* for JSON."""
    row, costs = result.row, result.costs or (None, None)
    names = ("cpu", "wall") if row.of is Of.TIME else (str(row.of),)
    return {
        "row": row.key,
        "title": row.title,
        "part": row.part,
        "of": str(row.of),
        "measured": _cost(result.names[0], costs[0]),
        "baseline": _cost(result.names[1], costs[1]),
        "ratio": {
            name: round(ratio, 4)
            for name, ratio in zip(names, result.ratios, strict=False)
        },
        "goal": row.goal,
        "stretch": row.stretch,
        "verdict": str(result.verdict),
        "is_stretched": result.is_stretched,
        "reason": result.reason,
    }


def _cost(name: str, cost: Cost | None) -> dict[str, object] | None:
    if cost is None:
        return None
    return {
        "name": name,
        "cpu_ms": round(1000 * cost.cpu, 4),
        "wall_ms": round(1000 * cost.wall, 4),
        "peak_bytes": cost.peak,
        "left_bytes": cost.left,
    }
