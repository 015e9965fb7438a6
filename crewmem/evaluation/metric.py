"""The metrics: what of the outcomes of cases is counted, and as how much. Pure.

Each is a sum by a sum over cases, so that all are drawn again in the same way; a case
that says nothing of a metric is left out of it. A metric without cases is None: neither
0 nor 1.
"""

from __future__ import annotations

from crewmem.evaluation import scores
from crewmem.evaluation.bootstrap import SEED, interval, ratio
from crewmem.evaluation.case import PROMOTION, RECALL, RECOVERY
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crewmem.evaluation.outcome import Outcome

    Part = tuple[float, float] | None
    """What a case adds above and below the line; None: it says nothing of it."""

K = 5
"""Places that are looked at, unless it is said otherwise."""

PRECISION = "recall_precision_at_k"
INJECTED = "injected_precision"
INJECTED_RECALL = "injected_recall"
FALSE = "false_injection_rate"
TOKENS = "avg_injected_tokens"
P50, P95 = "p50_recall_latency_ms", "p95_recall_latency_ms"
RECOVERED = "compaction_recovery_success_rate"
PROMOTED = "shared_promotion_precision"


class Metric(NamedTuple):
    """A figure of some cases.

    Attributes:
        value: Null where no case says anything of it.
        cases: Of how many it is.
        low: Where the interval begins, in which it lies with 95 %; null without value.
        high: Where that ends.
    """

    value: float | None
    cases: int
    low: float | None = None
    high: float | None = None


def _ranked(score: Callable[[scores.Gains, int, int], float]) -> Measure:
    """Return the measure of how good the ranking of a case is that has an answer."""

    def part(outcome: Outcome, k: int) -> Part:
        if not (_is_asked(outcome) and outcome.should_inject):
            return None
        found = scores.gains(outcome.found, outcome.relevant)
        return score(found, len(outcome.relevant), k), 1.0

    return part


def _is_asked(outcome: Outcome) -> bool:
    return outcome.kind == RECALL and not outcome.trouble


def _injected_precision(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if not (_is_asked(outcome) and outcome.should_inject and outcome.injected):
        return None
    right = scores.gains(outcome.injected, outcome.relevant)
    return sum(each is not None for each in right), len(outcome.injected)


def _injected_recall(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if not (_is_asked(outcome) and outcome.should_inject):
        return None
    right = scores.gains(outcome.injected, outcome.relevant)
    return len({*right} - {None}) / len(outcome.relevant), 1.0


def _false(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if not _is_asked(outcome) or outcome.should_inject:
        return None
    return float(outcome.did_inject), 1.0


def _tokens(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if not (_is_asked(outcome) and outcome.did_inject):
        return None
    return outcome.tokens, 1.0


def _recovered(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if outcome.kind != RECOVERY or outcome.trouble:
        return None
    return float(not outcome.missing), 1.0


def _promoted(outcome: Outcome, k: int) -> Part:  # noqa: ARG001 - as others
    if outcome.kind != PROMOTION or outcome.trouble or not outcome.promoted:
        return None
    return float(outcome.should_promote), 1.0


if TYPE_CHECKING:
    Measure = Callable[[Outcome, int], Part]

RATIOS: Mapping[str, Measure] = {
    PRECISION: _ranked(lambda gains, _, k: scores.precision(gains, k)),
    "r_precision": _ranked(lambda gains, many, _: scores.r_precision(gains, many)),
    "recall_recall_at_k": _ranked(scores.recall),
    "mrr": _ranked(lambda gains, *_: scores.reciprocal_rank(gains)),
    "ndcg_at_10": _ranked(lambda gains, many, _: scores.ndcg(gains, many)),
    INJECTED: _injected_precision,
    INJECTED_RECALL: _injected_recall,
    FALSE: _false,
    TOKENS: _tokens,
    RECOVERED: _recovered,
    PROMOTED: _promoted,
}
"""What a sum by a sum tells, by the name under which it is published."""

PERCENTILES = {P50: 0.5, P95: 0.95}
"""What a percentile of the latencies tells."""

LESS_IS_BETTER = frozenset({FALSE, TOKENS, *PERCENTILES})

NAMES = (
    *(each for each in RATIOS if each not in {RECOVERED, PROMOTED}),
    *PERCENTILES,
    RECOVERED,
    PROMOTED,
)
"""All metrics, in the order in which they are shown."""


def metrics(
    outcomes: Sequence[Outcome], k: int = K, *, seed: int = SEED
) -> dict[str, Metric]:
    """Return every metric of *outcomes*, by name."""
    return {name: _metric(name, outcomes, k, seed) for name in NAMES}


def by_category(
    outcomes: Sequence[Outcome], k: int = K, *, seed: int = SEED
) -> dict[str, dict[str, Metric]]:
    """Return the same of each category, in the order in which they come up."""
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        if each.category:
            groups.setdefault(each.category, []).append(each)
    return {name: metrics(group, k, seed=seed) for name, group in groups.items()}


def _metric(name: str, outcomes: Sequence[Outcome], k: int, seed: int) -> Metric:
    items = [part for each in outcomes if (part := part_of(name, each, k)) is not None]
    value = total(name, items)
    if value is None:
        return Metric(None, 0)
    between = interval(items, lambda drawn: total(name, drawn), seed=seed)
    low, high = between or (value, value)
    return Metric(_told(value), len(items), _told(low), _told(high))


def part_of(name: str, outcome: Outcome, k: int) -> Part:
    """Return what *outcome* adds to the metric *name*; None if nothing."""
    if name in PERCENTILES:
        return (outcome.latency_ms, 1.0) if _is_asked(outcome) else None
    return RATIOS[name](outcome, k)


def total(name: str, items: Sequence[tuple[float, float]]) -> float | None:
    """Return the metric *name* of what cases add to it; None of nothing."""
    if name in PERCENTILES and items:
        return scores.percentile([each for each, _ in items], PERCENTILES[name])
    return ratio(items)


def _told(value: float) -> float:
    return round(value, 6)
