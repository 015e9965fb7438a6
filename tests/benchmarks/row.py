"""A row of the table: what is compared with what, and how much more it may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol, Self

    from tests.benchmarks.measuring import Cost, Trial
    from tests.benchmarks.workbench import Workbench

    Setup = Callable[[Workbench], Trial]
    """Makes ready what is measured; rows of one setup share its runs."""

    class Group(Protocol):
        """What a module of `rows` is."""

        def rows(self, sizes: Sizes) -> Iterable[Row]:
            """Return the rows, whose trees are of *sizes*."""


class Of(StrEnum):
    """Which of its costs a row is about."""

    TIME = "time"
    PEAK = "peak"
    SIZE = "size"


class Verdict(StrEnum):
    """What a row comes to."""

    OK = "ok"
    MISS = "miss"
    UNJUDGED = "-"
    ABSENT = "n/a"
    FAILED = "failed"


BAD = {Verdict.MISS, Verdict.FAILED}
"""What makes the command end with status 1."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many files the trees have. Goals hold for the default ones only."""

    small: int = 1_000
    middle: int = 10_000
    large: int = 100_000


USUAL = Sizes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is compared with what.

    Attributes:
        key: Names it on the command line.
        tree: Which of the `Sizes` it needs; "" for none.
        goal: Most it may cost, as a multiple of the baseline; None: it is only shown.
        stretch: What would be better still.
        part: Of crewmem, whose goal it is.
    """

    key: str
    title: str
    setup: Setup
    tree: str = ""
    goal: float | None = None
    stretch: float | None = None
    of: Of = Of.TIME
    part: str = "foundation"

    def has_tree(self, sizes: Sizes) -> bool:
        """Tell whether there is a tree for it in *sizes*."""
        return not self.tree or getattr(sizes, self.tree) > 0

    def fitting(self, sizes: Sizes) -> Self:
        """Return it without goals if they are not meant for *sizes*."""
        if not self.tree or getattr(sizes, self.tree) == getattr(USUAL, self.tree):
            return self
        return replace(self, goal=None, stretch=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a row.

    Attributes:
        names: Of what was measured, and of the baseline.
        costs: Of the same.
        ratios: Of cpu and wall time, or of the one quantity that the row is about.
        reason: Why there are no costs.
    """

    row: Row
    verdict: Verdict
    names: tuple[str, str] = ("", "")
    costs: tuple[Cost, Cost] | None = None
    ratios: tuple[float, ...] = ()
    reason: str = ""

    @property
    def is_stretched(self) -> bool:
        """Whether it is even as good as it was dreamt of."""
        return _within(self.ratios, self.row.stretch)


def judged(row: Row, names: tuple[str, str], costs: tuple[Cost, Cost]) -> Result:
    """Compare *costs*, of what was measured and of its baseline, with the goal."""
    measured, baseline = map(_quantities(row.of), costs)
    if not all((*measured, *baseline)):
        return Result(row=row, verdict=Verdict.ABSENT, reason="too little to be told")
    ratios = tuple(one / other for one, other in zip(measured, baseline, strict=True))
    if row.goal is None:
        verdict = Verdict.UNJUDGED
    else:
        verdict = Verdict.OK if _within(ratios, row.goal) else Verdict.MISS
    return Result(row=row, verdict=verdict, names=names, costs=costs, ratios=ratios)


def _quantities(of: Of) -> Callable[[Cost], tuple[float, ...]]:
    return {
        Of.TIME: lambda cost: (cost.cpu, cost.wall),
        Of.PEAK: lambda cost: (cost.peak,),
        Of.SIZE: lambda cost: (cost.left,),
    }[of]


def _within(ratios: tuple[float, ...], most: float | None) -> bool:
    return most is not None and bool(ratios) and max(ratios) <= most
