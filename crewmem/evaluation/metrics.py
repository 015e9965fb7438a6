"""Metrics of recall: of a case, of a run, and of the difference between two runs."""

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from crewmem.evaluation.suite import Case, is_relevant

Part = tuple[float, float]
"""A case's value of a metric, multiplied by its weight, and the weight."""

RESAMPLES = 400
"""Number of bootstrap samples for an interval, enough for two digits."""

METRICS = (
    "recall_precision_at_k",
    "r_precision",
    "recall_at_k",
    "mrr",
    "ndcg_at_10",
    "false_injection_rate",
    "false_far_rate",
    "false_chatter_rate",
    "avg_injected_tokens",
    "compaction_recovery_success_rate",
    "injected_precision",
    "shared_promotion_precision",
)
"""Metrics that are weighted means over the cases."""

LATENCIES = ("p50_recall_latency_ms", "p95_recall_latency_ms")

LOWER_IS_BETTER = frozenset(
    {"false_injection_rate", "false_far_rate", "false_chatter_rate", "avg_injected_tokens"}
) | set(LATENCIES)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case.

    Attributes:
        shown: Refs that were shown, best first.
        measures: Values by metric, without metrics that do not apply.
        violations: Shown refs that the actor may not read.
    """

    id: str
    kind: str
    category: str
    query: str
    shown: tuple[str, ...]
    measures: Mapping[str, float] = field(default_factory=dict)
    violations: tuple[str, ...] = ()


class Metric(NamedTuple):
    """A metric over cases.

    Attributes:
        value: None without cases.
        low: Lower end of the 95 % interval.
        high: Upper end of the 95 % interval.
        cases: Number of cases with this metric.
    """

    value: float | None
    low: float | None
    high: float | None
    cases: int


class Delta(NamedTuple):
    """The change of a metric between two runs.

    Attributes:
        is_significant: Whether the change exceeds noise.
        is_better: Whether it is an improvement.
    """

    metric: str
    before: float | None
    after: float | None
    change: float | None
    is_significant: bool
    is_better: bool


def measure_recall(
    case: Case, shown: Sequence[str], *, k: int, tokens: int, latency_ms: float
) -> dict[str, float]:
    """Measure the answer to one query."""
    measures = {"avg_injected_tokens": float(tokens), "recall_latency_ms": latency_ms}
    hits = [is_relevant(ref, case.relevant) for ref in shown]
    if not case.should:
        measures["false_injection_rate"] = float(bool(shown))
        if case.category == "far":
            measures["false_far_rate"] = float(bool(shown))
        if case.category == "chatter":
            measures["false_chatter_rate"] = float(bool(shown))
    if shown:
        measures["injected_precision"] = sum(hits) / len(hits)
    if not case.relevant or not case.should:
        return measures
    answers = len(case.relevant)
    top = shown[:k]
    found = {answer for answer in case.relevant if any(is_relevant(ref, [answer]) for ref in top)}
    first = next((rank for rank, hit in enumerate(hits, start=1) if hit), 0)
    gain = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits[:10], start=1) if hit)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(answers, 10) + 1))
    measures |= {
        "recall_precision_at_k": sum(hits[:k]) / len(hits[:k]) if hits else 0.0,
        "r_precision": sum(hits[:answers]) / answers,
        "recall_at_k": len(found) / min(answers, k),
        "mrr": 1 / first if first else 0.0,
        "ndcg_at_10": min(gain / ideal, 1.0),
    }
    return measures


def aggregate(results: Sequence[CaseResult]) -> dict[str, Metric]:
    """Return the metrics of a run, by their published names."""
    metrics = {name: _measure(_list_parts(results, name)) for name in METRICS}
    latencies = sorted(
        result.measures["recall_latency_ms"]
        for result in results
        if "recall_latency_ms" in result.measures
    )
    for name, share in zip(LATENCIES, (0.5, 0.95), strict=True):
        value = latencies[math.ceil(share * len(latencies)) - 1] if latencies else None
        metrics[name] = Metric(value, None, None, len(latencies))
    return metrics


def aggregate_by_category(results: Sequence[CaseResult]) -> dict[str, dict[str, Metric]]:
    groups: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        groups[result.category or "none"].append(result)
    return {name: aggregate(group) for name, group in sorted(groups.items())}


def compare(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> list[Delta]:
    """Compare two runs metric by metric, over their common cases.

    A change is significant if the bootstrap interval of the difference excludes 0. Changes of
    latency are never significant, because latency depends on the machine.
    """
    second = {result.id: result for result in after}
    pairs = [(first, second[first.id]) for first in before if first.id in second]
    old = aggregate([pair[0] for pair in pairs])
    new = aggregate([pair[1] for pair in pairs])
    deltas = []
    for name in old:
        old_value, new_value = old[name].value, new[name].value
        change = None if old_value is None or new_value is None else new_value - old_value
        is_significant = bool(change) and name not in LATENCIES and _is_significant(pairs, name)
        is_better = bool(change) and ((change or 0) < 0) == (name in LOWER_IS_BETTER)
        deltas.append(Delta(name, old_value, new_value, change, is_significant, is_better))
    return deltas


def _list_parts(results: Sequence[CaseResult], name: str) -> list[Part]:
    """Return the part of each case that has the metric.

    The precision of shown items gives each item the same weight, not each query.
    """
    parts = []
    for result in results:
        measures = result.measures
        if name == "shared_promotion_precision":
            if measures.get("promoted"):
                parts.append((measures["promoted_right"], measures["promoted"]))
        elif name in measures:
            weight = float(len(result.shown)) if name == "injected_precision" else 1.0
            parts.append((measures[name] * weight, weight))
    return parts


def _mean(parts: Sequence[Part]) -> float:
    return sum(part[0] for part in parts) / sum(part[1] for part in parts)


def _measure(parts: Sequence[Part]) -> Metric:
    if not parts:
        return Metric(None, None, None, 0)
    generator = random.Random(0)  # noqa: S311 - resampling, not secrecy
    samples = [_mean(generator.choices(parts, k=len(parts))) for _ in range(RESAMPLES)]
    low, high = _find_interval(samples)
    return Metric(_mean(parts), low, high, len(parts))


def _is_significant(pairs: Sequence[tuple[CaseResult, CaseResult]], name: str) -> bool:
    generator = random.Random(0)  # noqa: S311 - resampling, not secrecy
    changes = []
    for _ in range(RESAMPLES):
        before, after = zip(*generator.choices(pairs, k=len(pairs)), strict=True)
        old_parts, new_parts = _list_parts(before, name), _list_parts(after, name)
        if old_parts and new_parts:
            changes.append(_mean(new_parts) - _mean(old_parts))
    if not changes:
        return False
    low, high = _find_interval(changes)
    return low > 0 or high < 0


def _find_interval(samples: Sequence[float]) -> tuple[float, float]:
    """Return the limits of the middle 95 % of *samples*."""
    ordered = sorted(samples)
    last = len(ordered) - 1
    return ordered[round(0.025 * last)], ordered[round(0.975 * last)]
