"""How runs of a suite are shown to a person."""

from __future__ import annotations

from crewmem import times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from crewmem.cli.evaluating.told import Shown
    from crewmem.cli.output import Line, Table
    from crewmem.evaluation.comparing import Changed, Difference
    from crewmem.evaluation.gates import Gate
    from crewmem.evaluation.metric import Metric
    from crewmem.evaluation.outcome import Outcome
    from crewmem.evaluation.run import Run

    Lay = Callable[[Table], Iterable[Line]]

CASES_SHOWN = 20
"""Cases that came out wrong, or otherwise, that are shown; JSON has all."""

QUERY_SHOWN = 60
"""Characters of a question that are shown beside it."""

SIGNS = {"<=": "≤", ">=": "≥"}

OF_CATEGORY = {
    "recall_recall_at_k": "RECALL@K",
    "mrr": "MRR",
    "injected_precision": "PRECISION",
    "false_injection_rate": "FALSE",
}
"""Metrics that are shown of each category, and the columns that they stand in."""

SAID = {True: "holds", False: "missed", None: "not measured"}


def value(number: float | None) -> str:
    """Spell a figure; n/a for none."""
    if number is None:
        return "n/a"
    for most, digits in ((10, 3), (1_000, 1)):
        if abs(number) < most:
            return f"{number:.{digits}f}"
    return f"{number:,.0f}"


def metric_rows(metrics: Mapping[str, Metric]) -> list[tuple[str, ...]]:
    """Return a row of each metric."""
    return [
        (
            name,
            value(each.value),
            ""
            if each.low is None or each.high is None
            else f"{value(each.low)} to {value(each.high)}",
            f"{each.cases:,}",
        )
        for name, each in metrics.items()
    ]


def run_lines(shown: Shown, lay: Lay, *, with_cases: bool = False) -> Iterator[Line]:
    """Yield what a person reads of a run; tables as *lay* lays them out."""
    from crewmem.cli.output import Table

    run = shown.run
    model = run.embedder or "words alone"
    head = f"{run.cases:,} cases of {run.suite}, {model}, k {run.k}"
    yield [("bold", head)]
    columns = ("METRIC", "VALUE", "95 %", "CASES")
    right = frozenset({"VALUE", "CASES"})
    yield from lay(Table(columns, metric_rows(run.metrics), right))
    if (table := _categories(run)).rows:
        yield ""
        yield from lay(table)
    yield ""
    yield from judged_lines(run, lay)
    if with_cases:
        yield from _wrong(shown.outcomes)


def _categories(run: Run) -> Table:
    from crewmem.cli.output import Table

    rows = [
        (name, *(value(each[metric].value) for metric in OF_CATEGORY))
        for name, each in run.categories.items()
        if any(each[metric].cases for metric in OF_CATEGORY)
    ]
    columns = tuple(OF_CATEGORY.values())
    return Table(("CATEGORY", *columns), rows, frozenset(columns))


def judged_lines(run: Run, lay: Lay) -> Iterator[Line]:
    """Yield what a run is up to, and what it laid before who may not read it."""
    yield from gate_lines(run.gates, lay)
    for ref in run.violations:
        yield [("bad", f"laid before who may not read it: {ref}")]


def gate_lines(gates: Sequence[Gate], lay: Lay) -> Iterator[Line]:
    """Yield a line of each gate."""
    from crewmem.cli.output import Table

    rows = [
        (
            each.name,
            SAID[each.passed],
            f"{value(each.actual)} {SIGNS[each.comparator]} {each.threshold:g}",
            each.setting,
        )
        for each in gates
    ]
    yield from lay(Table(("GATE", "", "BOUND", "SETTING"), rows))


def _wrong(outcomes: Sequence[Outcome]) -> Iterator[Line]:
    wrong = [each for each in outcomes if not each.is_right]
    if wrong:
        yield ""
    for each in wrong[:CASES_SHOWN]:
        yield [("bold", each.id), f"  {each.query[:QUERY_SHOWN]}"]
        yield [("dim", f"    {_what(each)}")]
    if len(wrong) > CASES_SHOWN:
        yield f"{len(wrong) - CASES_SHOWN:,} more came out wrong; --json has them"


def _what(each: Outcome) -> str:
    if each.trouble:
        return each.trouble
    if each.missing:
        return f"not given back: {'; '.join(each.missing)}"
    if each.promoted is not None:
        return "promoted" if each.promoted else "not promoted"
    laid = ", ".join(each.injected) or "nothing"
    wanted = ", ".join(each.relevant) or "nothing"
    return f"{laid} was laid out; {wanted} should have been"


def runs_rows(runs: Sequence[Run], names: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return a row of each run."""
    return [
        (
            names[each.id],
            times.to_text(each.at),
            each.verb,
            f"{each.cases:,}",
            _of(each, "recall_recall_at_k"),
            _of(each, "ndcg_at_10"),
            _of(each, "false_injection_rate"),
            _of(each, "p95_recall_latency_ms"),
            "passed" if each.passed else f"missed {', '.join(troubles(each))}",
            each.suite,
        )
        for each in runs
    ]


COLUMNS = (
    *("RUN", "TIME", "VERB", "CASES", "RECALL@K", "NDCG@10", "FALSE", "P95 MS"),
    *("GATES", "SUITE"),
)
"""Of a list of runs."""

RIGHT = frozenset({"CASES", "RECALL@K", "NDCG@10", "FALSE", "P95 MS"})


def troubles(run: Run) -> list[str]:
    """Name what *run* missed."""
    return [*run.missed, *(["scope"] if run.violations else [])]


def _of(run: Run, name: str) -> str:
    found = run.metrics.get(name)
    return value(found.value if found else None)


# Two runs


def difference_lines(found: Sequence[Difference], lay: Lay) -> Iterator[Line]:
    """Yield how each metric differs."""
    from crewmem.cli.output import Table

    rows = [
        (
            each.name,
            value(each.before),
            value(each.after),
            "" if each.change is None else f"{each.change:+.3f}",
            ""
            if each.low is None or each.high is None
            else f"{each.low:+.3f} to {each.high:+.3f}",
            _judged(each),
            f"{each.cases:,}",
        )
        for each in found
    ]
    columns = ("METRIC", "BEFORE", "AFTER", "CHANGE", "95 %", "", "CASES")
    right = frozenset({"BEFORE", "AFTER", "CHANGE", "CASES"})
    yield from lay(Table(columns, rows, right))


def _judged(each: Difference) -> str:
    return {
        "better": "better, beyond noise",
        "worse": "worse, beyond noise",
        "noise": "may be noise",
        "same": "the same" if each.change is not None else "",
    }[each.verdict]


def changed_lines(found: Sequence[Changed]) -> Iterator[Line]:
    """Yield the cases that came out otherwise, worst first."""
    for each in found[:CASES_SHOWN]:
        was, now = _right(each.was_right), _right(each.is_right)
        said = f"{was} → {now}" if was != now else f"still {now}"
        yield [("bold", each.id), f"  {said}  {each.query[:QUERY_SHOWN]}"]
    if len(found) > CASES_SHOWN:
        yield f"{len(found) - CASES_SHOWN:,} more cases changed; --json has them"


def _right(is_right: bool) -> str:
    return "right" if is_right else "wrong"
