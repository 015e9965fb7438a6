"""How far a figure of some cases may be off, told by drawing from them again. Pure.

The interval is that of the percentiles of 1,000 draws of as many cases, with a seed, so
that the same cases have the same interval.
"""

from __future__ import annotations

from itertools import repeat
from random import Random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Item = TypeVar("Item")

RESAMPLES = 1_000
"""As is usual: the ends of the interval move by a hundredth of it with the seed."""

LEVEL = 0.95
"""Part of the draws that the interval holds."""

SEED = 20_260_501
"""Of the draws, unless another is named."""


def interval(
    items: Sequence[Item],
    statistic: Callable[[Sequence[Item]], float | None],
    *,
    seed: int = SEED,
) -> tuple[float, float] | None:
    """Return between what *statistic* of draws from *items* lies; None without any.

    A draw of which it is None counts for nothing.
    """
    if not items:
        return None
    if all(each == items[0] for each in items):  # every draw is the same
        value = statistic(items)
        return None if value is None else (value, value)
    draws, many = Random(seed), len(items)  # noqa: S311 - no secret is made of it
    told = (statistic(draws.choices(items, k=many)) for _ in repeat(None, RESAMPLES))
    values = sorted(each for each in told if each is not None)
    if not values:
        return None
    aside = int(len(values) * (1 - LEVEL) / 2)
    return values[aside], values[-1 - aside]


def ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the sum of the first of each by that of the second; None of nothing."""
    below = sum(each[1] for each in pairs)
    return sum(each[0] for each in pairs) / below if below else None
