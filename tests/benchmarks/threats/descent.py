"""Going downhill: the lowest point of a smooth function, by steps that remember (L-BFGS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Step = tuple[np.ndarray, np.ndarray]

STEPS, KEPT = 200, 10
"""Steps at most, and those whose slopes tell how far the next one goes."""

CLOSE, LEAST_STEP = 1e-5, 1e-6
"""What a step gains at least, of what there is to gain; and the shortest that is tried."""


def lowest(
    loss: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """Return where *loss* is lowest, by steps that remember the last slopes (L-BFGS)."""
    here = start
    value, slope = loss(here)
    past: list[Step] = []
    for _ in range(STEPS):
        way = _turned(slope, past)
        length = 1.0
        new, new_slope = loss(here - way)
        while new > value - 1e-4 * length * (slope @ way) and length > LEAST_STEP:
            length /= 2
            new, new_slope = loss(here - length * way)
        past = [*past, (-length * way, new_slope - slope)][-KEPT:]
        here, gain = here - length * way, value - new
        value, slope = new, new_slope
        if gain < CLOSE * abs(value):
            break
    return here


def _turned(slope: np.ndarray, past: Sequence[Step]) -> np.ndarray:
    """Return the way downwards as the *past* steps bend it."""
    if not past:
        return slope / max(float(np.linalg.norm(slope)), 1.0)
    way = slope.copy()
    shares = []
    for step, change in reversed(past):
        share = (step @ way) / (step @ change)
        way -= share * change
        shares.append(share)
    step, change = past[-1]
    way *= (step @ change) / (change @ change)
    for (step, change), share in zip(past, reversed(shares), strict=True):
        way += step * (share - (change @ way) / (step @ change))
    return way
