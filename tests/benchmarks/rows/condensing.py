"""Condensing: what says much the same among many memories, beside a bare join."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

SCRIPT = Path(__file__).parent.parent / "memories.py"

FILLED = ".filled-by"
"""Where a copy of the script whose memories a home has is left in it."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the row, of as many memories as files."""
    count = sizes.large
    yield Row(
        key="condense",
        title=f"condense {count:,} memories, a plan",
        setup=lambda bench: _condense(bench, count),
        tree="large",
        goal=1.5,
        part="memories",
    )


def _condense(bench: Workbench, count: int) -> Trial:
    home = _home(bench, count)
    words = ("memories", "condense", "--limit", str(count), "--dry-run")
    return Trial(
        bench.crewmem("--home", home, *words),
        bench.baseline("prefix_join.py", home / "crewmem.db"),
    )


def _home(bench: Workbench, count: int) -> Path:
    """Return a home with *count* memories of its workspace."""
    home = bench.directory / f"memories-{count}"
    by = home / FILLED
    if not by.exists() or by.read_bytes() != SCRIPT.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        bench.crewmem("--home", home, "init", "--quiet").run()
        argv = [sys.executable, str(SCRIPT), str(home), str(count)]
        Process(name=SCRIPT.name, argv=argv, environ=bench.environ).run()
        by.write_bytes(SCRIPT.read_bytes())
    return home
