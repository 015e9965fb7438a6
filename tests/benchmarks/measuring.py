"""Running things in turns, and what they cost."""

from __future__ import annotations

import os
import resource
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from tests.benchmarks.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LEAN = Path(__file__).with_name("lean.py")
"""What runs a process whose peak is wanted."""

KEPT_OF_ERRORS = 2000
"""Bytes of what a failed process wrote to its standard error that are shown."""


class FailedError(Exception):
    """What should have been measured failed."""


class AbsentError(FailedError):
    """What should have been measured is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run took.

    Attributes:
        cpu: Seconds of user and system time, children included.
        wall: Seconds.
        peak: Most bytes of memory of one process; 0 if no more than this one took
            itself, which a process that is spawned starts from.
        left: Bytes of what it left on the disk.
    """

    cpu: float
    wall: float
    peak: int
    left: int = 0


class Act(Protocol):
    """Something whose cost is measured."""

    @property
    def name(self) -> str:
        """What it is, for the table."""

    def run(self) -> Cost:
        """Do it once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Two acts that are measured in turns."""

    measured: Act
    baseline: Act


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A whole process. Its output goes nowhere, or to a terminal of its own.

    Attributes:
        before: What is done before each run, and not measured.
        leaves: A file whose size is part of the cost.
        lean: Whether its peak is wanted, however small: it is run by a process that is
            smaller than this one, whose time is part of the cost.
    """

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str]
    terminal: bool = False
    before: Callable[[], None] = nothing
    leaves: Path | None = None
    lean: bool = False

    def run(self) -> Cost:
        """Run it once.

        Raises:
            FailedError: If it cannot be started, or ends with another status than 0.
        """
        self.before()
        if self.lean:
            cost = self._by_a_small_one()
        else:
            cost = self._in_terminal() if self.terminal else self._unseen()
        return replace(cost, left=self.leaves.stat().st_size if self.leaves else 0)

    def _by_a_small_one(self) -> Cost:
        with TemporaryDirectory() as folder:
            told = f"{folder}/peak"
            argv = [sys.executable, "-I", "-S", str(LEAN), told, *self.argv]
            cost = replace(
                self, argv=argv, before=nothing, leaves=None, lean=False
            ).run()
            return replace(cost, peak=int(Path(told).read_text("ascii")))

    def _unseen(self) -> Cost:
        reader, writer = os.pipe()
        actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, writer, 2),
        ]
        try:
            started = time.perf_counter()
            pid = self._spawned(actions)
            return self._cost(pid, started, reader)
        finally:
            os.close(writer)
            os.close(reader)

    def _in_terminal(self) -> Cost:
        with Terminal() as terminal:
            started = time.perf_counter()
            pid = self._spawned(terminal.actions)
            terminal.drain()
            return self._cost(pid, started, None)

    def _spawned(self, actions: Sequence[tuple[object, ...]]) -> int:
        try:
            return os.posix_spawn(
                self.argv[0], list(self.argv), self.environ, file_actions=actions
            )
        except OSError as error:
            raise FailedError(f"{self.argv[0]}: {error.strerror}") from error

    def _cost(self, pid: int, started: float, errors: int | None) -> Cost:
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - started
        if code := os.waitstatus_to_exitcode(status):
            said = _said(errors) if errors is not None else ""
            raise FailedError(f"{self.name} ended with {code}: {said}")
        floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return Cost(
            cpu=usage.ru_utime + usage.ru_stime,
            wall=wall,
            peak=usage.ru_maxrss * 1024 if usage.ru_maxrss > floor else 0,
        )


def _said(errors: int) -> str:
    os.set_blocking(errors, False)
    try:
        said = os.read(errors, KEPT_OF_ERRORS)
    except BlockingIOError:
        return "it said nothing"
    return " ".join(said.decode("utf-8", "replace").split())


def measure(trial: Trial, runs: int) -> tuple[Cost, Cost]:
    """Return the median costs of both acts of *trial*, each run *runs* times in turns.

    A first run of each warms the caches and is not counted.
    """
    trial.measured.run()
    trial.baseline.run()
    pairs = [(trial.measured.run(), trial.baseline.run()) for _ in range(runs)]
    return _median([one for one, _ in pairs]), _median([other for _, other in pairs])


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        cpu=median(cost.cpu for cost in costs),
        wall=median(cost.wall for cost in costs),
        peak=int(median(cost.peak for cost in costs)),
        left=int(median(cost.left for cost in costs)),
    )
