"""Jobs that find nothing to do: what a home costs that nobody works in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Cost, Process, Trial
from tests.benchmarks.row import Row
from tests.benchmarks.rows.episodes import WORDS, filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

PART = "upkeep"

DAY = {
    "sweep": 2_880,
    "extract": 288,
    "housekeeping": 24,
    "rollup": 1,
    "consolidate": 4,
    "condense": 4,
    "nightly": 1,
}
"""How often each job is run in a day."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows, of as many entries as files."""
    yield Row(
        key="timers-idle",
        title=f"the job sweep that finds nothing new, {sizes.middle:,} entries",
        setup=lambda bench: Trial(
            _job(bench, sizes.middle, "sweep"), bench.python("import sqlite3")
        ),
        tree="middle",
        goal=3.2,
        stretch=2.3,
        part=PART,
    )
    yield Row(
        key="idle-day",
        title=f"timers: a day of idle jobs, {sizes.middle:,} entries, in CPU seconds",
        setup=lambda bench: Trial(
            IdleDay({name: _job(bench, sizes.middle, name) for name in DAY}), Second()
        ),
        tree="middle",
        goal=150,
        stretch=110,
        part=PART,
    )


@dataclass(frozen=True, slots=True)
class IdleDay:
    """All jobs of a day: each is run once, and counts as often as it comes."""

    jobs: Mapping[str, Process]
    name: str = "crewmem timers run JOB, all of a day"

    def run(self) -> Cost:
        """Run each once; what is told is CPU time alone."""
        costs = {name: process.run() for name, process in self.jobs.items()}
        cpu = sum(DAY[name] * cost.cpu for name, cost in costs.items())
        return Cost(cpu=cpu, wall=cpu, peak=max(each.peak for each in costs.values()))


@dataclass(frozen=True, slots=True)
class Second:
    """A second, so that a multiple of it is a number of seconds."""

    name: str = "a CPU second"

    def run(self) -> Cost:
        """Return it."""
        return Cost(cpu=1.0, wall=1.0, peak=0)


def _job(bench: Workbench, count: int, name: str) -> Process:
    """Return a run of a job, in a home in which it has nothing to do."""
    home: Path = filled(bench, count)
    ran = bench.crewmem("--home", home, "timers", "run", name, "--quiet")
    return Process(name=ran.name, argv=ran.argv, environ={**ran.environ, **WORDS})
