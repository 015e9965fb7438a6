"""Metrics of recall: of a case, of a run, and of the difference between two runs."""

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from crewmem.evaluation.suite import Case, is_relevant

Ratio = tuple[float, float]
"""Numerator and denominator of a case's metric: its value times its weight, and the weight."""

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

LATENCIES = {"p50_recall_latency_ms": 0.50, "p95_recall_latency_ms": 0.95}
"""Quantiles of the time that a query takes, by metric."""

LOWER_IS_BETTER = LATENCIES.keys() | frozenset(
    {"false_injection_rate", "false_far_rate", "false_chatter_rate", "avg_injected_tokens"}
)


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
    gain = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits[:10], start=1) if hit)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(answers, 10) + 1))
    measures |= {
        "recall_precision_at_k": sum(hits[:k]) / len(hits[:k]) if hits else 0.0,
        "r_precision": sum(hits[:answers]) / answers,
        "recall_at_k": len(found) / min(answers, k),
        "mrr": 1 / (hits.index(True) + 1) if any(hits) else 0.0,
        "ndcg_at_10": min(gain / ideal, 1.0),
    }
    return measures


def aggregate(results: Sequence[CaseResult]) -> dict[str, Metric]:
    """Return the metrics of a run, by their published names."""
    metrics = {name: _measure(_list_ratios(results, name)) for name in METRICS}
    latencies = sorted(
        result.measures["recall_latency_ms"]
        for result in results
        if "recall_latency_ms" in result.measures
    )
    for name, quantile in LATENCIES.items():
        value = latencies[math.ceil(quantile * len(latencies)) - 1] if latencies else None
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
    after_by_id = {result.id: result for result in after}
    pairs = [(old, after_by_id[old.id]) for old in before if old.id in after_by_id]
    old_metrics = aggregate([old for old, _ in pairs])
    new_metrics = aggregate([new for _, new in pairs])
    deltas = []
    for name in old_metrics:
        old_value, new_value = old_metrics[name].value, new_metrics[name].value
        change = None
        is_significant = is_better = False
        if old_value is not None and new_value is not None:
            change = new_value - old_value
            if change:
                is_significant = name not in LATENCIES and _is_significant(pairs, name)
                is_better = (change < 0) == (name in LOWER_IS_BETTER)
        deltas.append(Delta(name, old_value, new_value, change, is_significant, is_better))
    return deltas


def _list_ratios(results: Sequence[CaseResult], name: str) -> list[Ratio]:
    """Return the ratio of each case that has the metric.

    The precision of shown items gives each item the same weight, not each query.
    """
    ratios = []
    for result in results:
        measures = result.measures
        if name == "shared_promotion_precision":
            if measures.get("promoted"):
                ratios.append((measures["promoted_right"], measures["promoted"]))
        elif name in measures:
            weight = float(len(result.shown)) if name == "injected_precision" else 1.0
            ratios.append((measures[name] * weight, weight))
    return ratios


def _mean(ratios: Sequence[Ratio]) -> float:
    return sum(ratio[0] for ratio in ratios) / sum(ratio[1] for ratio in ratios)


def _measure(ratios: Sequence[Ratio]) -> Metric:
    if not ratios:
        return Metric(None, None, None, 0)
    generator = random.Random(0)  # noqa: S311 - resampling, not secrecy
    samples = [_mean(generator.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)]
    low, high = _find_interval(samples)
    return Metric(_mean(ratios), low, high, len(ratios))


def _is_significant(pairs: Sequence[tuple[CaseResult, CaseResult]], name: str) -> bool:
    generator = random.Random(0)  # noqa: S311 - resampling, not secrecy
    changes = []
    for _ in range(RESAMPLES):
        sample = generator.choices(pairs, k=len(pairs))
        old_ratios = _list_ratios([old for old, _ in sample], name)
        new_ratios = _list_ratios([new for _, new in sample], name)
        if old_ratios and new_ratios:
            changes.append(_mean(new_ratios) - _mean(old_ratios))
    if not changes:
        return False
    low, high = _find_interval(changes)
    return low > 0 or high < 0


def _find_interval(samples: Sequence[float]) -> tuple[float, float]:
    """Return the limits of the middle 95 % of *samples*."""
    ordered = sorted(samples)
    last = len(ordered) - 1
    return ordered[round(0.025 * last)], ordered[round(0.975 * last)]
