"""Memories: remembering one, recalling, and condensing many."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial
from tests.benchmarks.memories import forget_new
from tests.benchmarks.row import Row
from tests.benchmarks.rows.episodes import MANY, QUESTION, WORDS, AfterStart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

SCRIPT = Path(__file__).parent.parent / "memories.py"

PART = "memories"

NEW = "The crane at pier nine needs a new permit from the port office each spring"
"""What is remembered: nothing says much the same."""

FILLED = ".filled-by"
"""Where a copy of the script whose memories a home has is left in it."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows, of as many memories as files, and of ten times as many."""
    count = sizes.large
    yield Row(
        key="condense",
        title=f"condense {count:,} memories, a plan",
        setup=lambda bench: _condense(bench, count),
        tree="large",
        goal=1.5,
        part=PART,
    )
    yield Row(
        key="remember",
        title=f"remember one, of {MANY * count:,} and of {sizes.small:,}",
        setup=lambda bench: _remember(bench, MANY * count, sizes.small),
        tree="large",
        goal=1.2,
        part=PART,
    )
    yield Row(
        key="memories-recall",
        title=f"recall by words, {count:,} memories, after start",
        setup=lambda bench: _recall(bench, count),
        tree="large",
        goal=1.3,
        part=PART,
    )


def _condense(bench: Workbench, count: int) -> Trial:
    home = _home(bench, count)
    words = ("memories", "condense", "--limit", str(count), "--dry-run")
    return Trial(
        bench.crewmem("--home", home, *words),
        bench.baseline("prefix_join.py", home / "crewmem.db"),
    )


def _remember(bench: Workbench, many: int, few: int) -> Trial:
    return Trial(*(_remembering(bench, _home(bench, count)) for count in (many, few)))


def _remembering(bench: Workbench, home: Path) -> Process:
    """Return a run that remembers something new, as it was before each time."""
    return _by_words(
        bench.crewmem(
            *("--home", home, "remember", NEW), before=lambda: forget_new(home)
        )
    )


def _recall(bench: Workbench, count: int) -> Trial:
    home = _home(bench, count)
    words = ("search", *QUESTION, "--kinds", "fact", "--json")
    ours = _by_words(bench.crewmem("--home", home, *words))
    bare = bench.baseline("two_steps_memories.py", home / "crewmem.db", *QUESTION)
    return Trial(AfterStart(ours, bench.crewmem("--version")), bare)


def _by_words(ran: Process) -> Process:
    environ = {**ran.environ, **WORDS}
    return Process(name=ran.name, argv=ran.argv, environ=environ, before=ran.before)


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
