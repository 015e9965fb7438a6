"""How two runs over the same cases differ, and whether that may be noise. Pure."""

from __future__ import annotations

from crewmem.evaluation.bootstrap import SEED, interval
from crewmem.evaluation.metric import LESS_IS_BETTER, NAMES, part_of, total
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.evaluation.outcome import Outcome

    Pair = tuple[tuple[float, float] | None, tuple[float, float] | None]

BETTER, WORSE, SAME, NOISE = "better", "worse", "same", "noise"


class Difference(NamedTuple):
    """How a metric differs.

    Attributes:
        name: The metric.
        before: What it was of the cases that both have; null: no case says it.
        after: What it is.
        change: By how much; null where one of them is.
        low: Where the interval of the change begins.
        high: Where it ends.
        verdict: better or worse: beyond noise; noise: it may be chance; same.
        cases: How many cases both have that say anything of it.
    """

    name: str
    before: float | None
    after: float | None
    change: float | None
    low: float | None
    high: float | None
    verdict: str
    cases: int


class Changed(NamedTuple):
    """A case that came out otherwise.

    Attributes:
        id: The case.
        category: What it is counted with.
        query: What was asked.
        was_right: Whether it came out as it should before.
        is_right: Whether it does now.
        before: What was laid before the model.
        after: What is now.
        change: By how much its ranking is better, from -1 to 1.
    """

    id: str
    category: str
    query: str
    was_right: bool
    is_right: bool
    before: tuple[str, ...]
    after: tuple[str, ...]
    change: float


def differences(
    before: Sequence[Outcome], after: Sequence[Outcome], k: int, *, seed: int = SEED
) -> list[Difference]:
    """Return how each metric differs, over the cases that both have."""
    pairs = _common(before, after)
    return [_difference(name, pairs, k, seed) for name in NAMES]


def _common(
    before: Sequence[Outcome], after: Sequence[Outcome]
) -> list[tuple[Outcome, Outcome]]:
    known = {each.id: each for each in before}
    return [(known[each.id], each) for each in after if each.id in known]


def _difference(
    name: str, pairs: Sequence[tuple[Outcome, Outcome]], k: int, seed: int
) -> Difference:
    parts: list[Pair] = [
        (part_of(name, one, k), part_of(name, other, k)) for one, other in pairs
    ]
    items = [pair for pair in parts if pair != (None, None)]
    was, now = _totals(name, items)
    if was is None or now is None:
        return Difference(name, was, now, None, None, None, SAME, len(items))
    low = high = 0.0
    if any(one != other for one, other in items):
        between = interval(items, lambda drawn: _change(name, drawn), seed=seed)
        low, high = between or (low, high)
    change = now - was
    return Difference(
        name,
        *(round(was, 6), round(now, 6), round(change, 6)),
        *(round(low, 6), round(high, 6)),
        _verdict(name, change, low, high),
        len(items),
    )


def _totals(name: str, items: Sequence[Pair]) -> tuple[float | None, float | None]:
    was = total(name, [one for one, _ in items if one is not None])
    return was, total(name, [one for _, one in items if one is not None])


def _change(name: str, items: Sequence[Pair]) -> float | None:
    was, now = _totals(name, items)
    return None if was is None or now is None else now - was


def _verdict(name: str, change: float, low: float, high: float) -> str:
    """Judge a change by its interval: one that holds 0 may be chance."""
    if not change:
        return SAME
    if low <= 0 <= high:
        return NOISE
    return BETTER if (change < 0) == (name in LESS_IS_BETTER) else WORSE


def changed(before: Sequence[Outcome], after: Sequence[Outcome]) -> list[Changed]:
    """Return the cases that came out otherwise, worst first."""
    found = [_changed(one, other) for one, other in _common(before, after)]
    kept = [
        each
        for each in found
        if each.change or each.was_right != each.is_right or each.before != each.after
    ]
    kept.sort(key=lambda each: (each.is_right - each.was_right, each.change, each.id))
    return kept


def _changed(one: Outcome, other: Outcome) -> Changed:
    return Changed(
        other.id,
        other.category,
        other.query,
        one.is_right,
        other.is_right,
        one.injected,
        other.injected,
        round(_worth(other) - _worth(one), 6),
    )


def _worth(outcome: Outcome) -> float:
    part = part_of("ndcg_at_10", outcome, 1)
    return part[0] if part else float(outcome.is_right)
