"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks import report
from tests.benchmarks.machine import machine
from tests.benchmarks.measuring import AbsentError, FailedError, measure
from tests.benchmarks.progress import tell
from tests.benchmarks.row import BAD, USUAL, Result, Sizes, Verdict, judged
from tests.benchmarks.rows import rows
from tests.benchmarks.trials import tried
from tests.benchmarks.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.benchmarks.measuring import Cost
    from tests.benchmarks.row import Row, Setup

    Measured = tuple[tuple[str, str], tuple[Cost, Cost]]
    """The names of what was measured and of its baseline, and their costs."""

OWN = "own"
"""The corpus of the scanner that the project has itself."""

RUNS = 11
"""Of each act. Fewer than 9 are not worth a median on a machine that does more."""

QUICK_RUNS, QUICK_SIZES = 3, Sizes(1_000, 10_000, 0)
"""For a first look."""


def main(argv: Sequence[str]) -> int:
    """Run the command line; return 1 when a row fails or misses its goal."""
    asked = _parser().parse_args(argv)
    asked.sizes = asked.sizes or (QUICK_SIZES if asked.quick else USUAL)
    asked.runs = asked.runs or (QUICK_RUNS if asked.quick else RUNS)
    if asked.trials:
        return int(not tried())
    elsewhere = asked.recall or asked.threats
    chosen = [] if elsewhere and not asked.rows else _chosen(asked)
    if asked.list:
        _print(f"{row.key:20} {row.title}" for row in chosen)
        return 0
    with _directory(asked.keep) as directory:
        bench = Workbench(directory, flat=asked.flat)
        results = _results(chosen, bench, asked.runs)
        if results:
            _print(report.table(results))
        found = _recalled(asked.recall, bench) if asked.recall else []
    if asked.threats:
        _scanned(asked.threats)
    if asked.json:
        document = _document(asked, results) | {"recall": found}
        text = json.dumps(document, indent=1) + "\n"
        Path(asked.json).write_text(text, encoding="utf-8")
    verdicts = [
        *(result.verdict for result in results),
        *(each["verdict"] for each in found),
    ]
    return int(any(verdict in BAD for verdict in verdicts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure what crewmem costs beside baselines run in turns with it.",
        epilog="Status 1: a row failed or missed its goal.",
    )
    add = parser.add_argument
    add("--rows", metavar="KEYS", help="only these, joined by commas; * is understood")
    add("--list", action="store_true", help="name the rows and measure nothing")
    add("--runs", type=int, metavar="N", help=f"runs of each act [{RUNS}]")
    add("--quick", action="store_true", help="fewer runs, and no large tree")
    add(
        "--sizes",
        type=_sizes,
        metavar="N,N,N",
        help="files of the small, middle and large tree, 0 for none "
        f"[{USUAL.small},{USUAL.middle},{USUAL.large}]; goals hold for these only",
    )
    add("--flat", action="store_true", help="trees of one directory instead of 100")
    add("--json", metavar="FILE", help="write the results as JSON, too")
    add("--keep", metavar="DIR", help="grow the trees here, keep them, use them again")
    add(
        "--recall",
        metavar="DIR",
        help="measure retrieval by words on the data set in DIR, or on all below it; "
        "without --rows nothing else",
    )
    add(
        "--threats",
        metavar="DIR",
        nargs="?",
        const=OWN,
        help="measure the scanner on the corpus in DIR (*.jsonl with text, label and "
        "class), else on the project's own; without --rows nothing else",
    )
    add(
        "--trials",
        action="store_true",
        help="run the long trials instead, of which the tests run samples",
    )
    return parser


def _sizes(text: str) -> Sizes:
    given = [int(number.replace("_", "")) for number in text.split(",")]
    return Sizes(*[*given, 0, 0][:3])


def _chosen(asked: argparse.Namespace) -> list[Row]:
    patterns = asked.rows.split(",") if asked.rows else ["*"]
    chosen = [
        row.fitting(asked.sizes)
        for row in rows(asked.sizes)
        if row.has_tree(asked.sizes)
        and any(fnmatch(row.key, pattern) for pattern in patterns)
    ]
    if not chosen:
        sys.exit(f"no row is called {asked.rows}: see --list")
    return chosen


@contextmanager
def _directory(keep: str | None) -> Iterator[Path]:
    if keep:
        kept = Path(keep).absolute()
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="crewmem-benchmarks-") as directory:
        yield Path(directory)


def _results(chosen: Sequence[Row], bench: Workbench, runs: int) -> list[Result]:
    done: dict[Setup, Measured | FailedError] = {}
    results = []
    for row in chosen:
        tell(f"{row.key}: {row.title}")
        if row.setup not in done:
            done[row.setup] = _measured(row.setup, bench, runs)
        results.append(_result(row, done[row.setup]))
    return results


def _measured(setup: Setup, bench: Workbench, runs: int) -> Measured | FailedError:
    try:
        trial = setup(bench)
        costs = measure(trial, runs)
    except FailedError as error:
        tell(f"  {error}")
        return error
    return (trial.measured.name, trial.baseline.name), costs


def _result(row: Row, measured: Measured | FailedError) -> Result:
    if isinstance(measured, FailedError):
        is_absent = isinstance(measured, AbsentError)
        verdict = Verdict.ABSENT if is_absent else Verdict.FAILED
        return Result(row=row, verdict=verdict, reason=str(measured))
    return judged(row, *measured)


def _document(
    asked: argparse.Namespace, results: Sequence[Result]
) -> dict[str, object]:
    sizes = asked.sizes
    return {
        "schema": report.SCHEMA,
        "machine": machine(),
        "runs": asked.runs,
        "sizes": {"small": sizes.small, "middle": sizes.middle, "large": sizes.large},
        "flat": asked.flat,
        "rows": [report.record(result) for result in results],
    }


def _recalled(data: str, bench: Workbench) -> list[dict[str, object]]:
    # Late: this process is to stay small while memory is measured.
    from tests.benchmarks.recall import command

    found = command.recalled(Path(data), bench)
    if not found:
        sys.exit(f"there is no data set in {data}")
    _print(command.table(found))
    return [command.record(each) for each in found]


def _scanned(corpus: str) -> None:
    from tests.benchmarks.threats.corpus import measured, own, read, table

    found = measured(own() if corpus == OWN else read(Path(corpus)))
    if len(found) == 1:
        sys.exit(f"there is no corpus in {corpus}")
    _print(table(found))


def _print(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
