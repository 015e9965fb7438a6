"""Searches of vectors: whole processes, each with all that it imports."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial
from tests.benchmarks.row import Of, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

SCRIPT = Path(__file__).parent.parent / "vectors.py"

DIM = 384

FILLED = ".filled-by"
"""Where a copy of the script that filled a store is left beside it."""

NEW = 0.3
"""Of the vectors of the first rows, how many are compared with each other: all would
take the baseline minutes for every run, and its share is the same."""

MANY = 10
"""Times as many vectors as in the first rows are in the last."""

PEAK = 200_000_000
"""Bytes of memory that a search of the most vectors should get by with."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of vectors, of which there are as many as files, and more."""
    few, many, new = sizes.large, MANY * sizes.large, int(NEW * sizes.large)
    of_many = _nearest_beside_reading(many)
    yield _row(
        "dense",
        f"nearest of {few:,} vectors",
        lambda bench: Trial(
            _asked(bench, "nearest", few), bench.python("import numpy")
        ),
        goal=1.5,
        stretch=1.15,
    )
    yield _row(
        "dense-many", f"nearest of {many:,} vectors", of_many, goal=1.5, stretch=1.1
    )
    yield _row(
        "dense-many-bare",
        f"nearest of {many:,} vectors, beside a read without numpy",
        _nearest_beside_reading(many, "--bare"),
    )
    yield _row(
        "dense-peak",
        f"peak memory of the same, beside {PEAK // 10**6} MB",
        lambda bench: Trial(
            _asked(bench, "nearest", many), bench.python(f"b'x' * {PEAK}")
        ),
        of=Of.PEAK,
        goal=2.0,
        stretch=1.0,
    )
    yield _row(
        "neighbours",
        f"neighbours of {new:,} new vectors",
        lambda bench: Trial(
            _asked(bench, "neighbours", new),
            bench.baseline("blocked_products.py", str(new), str(DIM)),
        ),
        goal=0.6,
        stretch=0.4,
    )


def _row(
    key: str,
    title: str,
    setup: Setup,
    *,
    goal: float | None = None,
    stretch: float | None = None,
    of: Of = Of.TIME,
) -> Row:
    return Row(
        key=key,
        title=title,
        setup=setup,
        tree="large",
        goal=goal,
        stretch=stretch,
        of=of,
        part="episodes",
    )


def _nearest_beside_reading(count: int, *words: str) -> Setup:
    def setup(bench: Workbench) -> Trial:
        file = _filled(bench, count) / "vectors.sqlite"
        size = str(4 * DIM * count)
        return Trial(
            _asked(bench, "nearest", count),
            bench.baseline("read_bytes.py", file, size, *words),
        )

    return setup


def _asked(bench: Workbench, verb: str, count: int) -> Process:
    """Return a run of *verb* on a store of *count* vectors."""
    return _script(bench, verb, _filled(bench, count))


def _filled(bench: Workbench, count: int) -> Path:
    """Return a home whose store has *count* vectors."""
    home = bench.directory / f"vectors-{count}"
    by = home / FILLED
    if not by.exists() or by.read_bytes() != SCRIPT.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        _script(bench, "fill", home, str(count)).run()
        by.write_bytes(SCRIPT.read_bytes())
    return home


def _script(bench: Workbench, verb: str, *words: str | Path) -> Process:
    return Process(
        name=f"{SCRIPT.stem} {verb}",
        argv=[sys.executable, str(SCRIPT), verb, *map(str, words)],
        environ=bench.environ,
    )
