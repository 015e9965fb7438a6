"""Measuring whole processes: CPU time, wall time, peak memory, side by side with a baseline."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable
CREWMEM = [PYTHON, "-m", "crewmem"]
ENVIRONMENT = {
    key: value
    for key, value in os.environ.items()
    if key not in ("PYTHONDONTWRITEBYTECODE", "CLAUDECODE") and not key.startswith("CREWMEM_")
}


class Cost(NamedTuple):
    """What a process took: seconds, seconds, mebibytes."""

    cpu: float
    wall: float
    peak: float


class Row(NamedTuple):
    """A measured row.

    Attributes:
        ratio: Ours to the baseline, in CPU time; None where the goal is absolute.
        goal: Most that the ratio, or the value, may be.
    """

    name: str
    ours: float
    baseline: float | None
    ratio: float | None
    wall_ratio: float | None
    goal: float
    unit: str = "CPU s"

    @property
    def is_met(self) -> bool:
        """Return whether the goal is met."""
        return (self.ratio if self.ratio is not None else self.ours) <= self.goal


def run_once(command: Sequence[str], *, stdin: bytes = b"", cwd: Path | None = None) -> Cost:
    """Run a command and return its cost.

    Raises:
        RuntimeError: If it fails.
    """
    started = time.perf_counter()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(
            list(command),
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=ENVIRONMENT,
            cwd=cwd,
        )
        _, status, usage = os.wait4(process.pid, 0)  # of this process alone
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        if process.returncode not in (0, 1):
            errors.seek(0)
            said = errors.read().decode()[-2000:]
            raise RuntimeError(f"{command}: status {process.returncode}\n{said}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def compare(
    name: str,
    ours: Sequence[str],
    baseline: Sequence[str],
    goal: float,
    *,
    runs: int = 9,
    prepare: Callable[[], None] | None = None,
    stdin: bytes = b"",
    subtract: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Row:
    """Run both commands in turns and compare the medians.

    Args:
        name: Of the row.
        ours: Our command.
        baseline: What it is held against.
        goal: Most that the ratio may be.
        runs: Counted runs of each, after one that is not counted.
        prepare: Called before each run of ours.
        stdin: What ours reads.
        subtract: Commands whose cost is the start of ours and of the baseline.
    """
    mine, theirs, my_start, their_start = [], [], [], []
    for counted in range(runs + 1):
        if prepare is not None:
            prepare()
        pair = (run_once(ours, stdin=stdin), run_once(baseline))
        starts = tuple(run_once(command) for command in subtract) if subtract else None
        if counted:
            mine.append(pair[0])
            theirs.append(pair[1])
            if starts:
                my_start.append(starts[0])
                their_start.append(starts[1])

    def median(costs: Sequence[Cost], name: str) -> float:
        return statistics.median(getattr(cost, name) for cost in costs) if costs else 0.0

    cpu = median(mine, "cpu") - median(my_start, "cpu")
    base = median(theirs, "cpu") - median(their_start, "cpu")
    wall = median(mine, "wall") - median(my_start, "wall")
    base_wall = median(theirs, "wall") - median(their_start, "wall")
    return Row(name, cpu, base, cpu / base, wall / base_wall, goal)
