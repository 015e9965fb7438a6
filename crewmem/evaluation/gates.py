"""What recall has to be up to. Pure."""

from __future__ import annotations

from crewmem.evaluation.metric import FALSE, INJECTED, P95, RECOVERED, TOKENS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.evaluation.metric import Metric

AT_MOST, AT_LEAST = "<=", ">="

SETTINGS = {
    FALSE: ("eval.max_false_injection", AT_MOST),
    INJECTED: ("eval.min_precision", AT_LEAST),
    RECOVERED: ("eval.min_recovery", AT_LEAST),
    P95: ("eval.max_p95_ms", AT_MOST),
    TOKENS: ("eval.max_tokens", AT_MOST),
}
"""Which metric has a gate: the setting that it is, and how it is compared."""


class Gate(NamedTuple):
    """A bound of a metric.

    Attributes:
        name: The metric.
        setting: The setting that holds the bound.
        comparator: <= or >=.
        threshold: The bound.
        actual: What was measured; null where no case says anything of it.
        passed: Whether it holds; null: not measured.
    """

    name: str
    setting: str
    comparator: str
    threshold: float
    actual: float | None
    passed: bool | None


def gates(
    measured: Mapping[str, Metric], thresholds: Mapping[str, float]
) -> list[Gate]:
    """Return the gates of what was *measured*; *thresholds* are by setting."""
    return [
        _gate(name, setting, comparator, thresholds[setting], measured[name].value)
        for name, (setting, comparator) in SETTINGS.items()
    ]


def _gate(
    name: str, setting: str, comparator: str, threshold: float, actual: float | None
) -> Gate:
    passed = None
    if actual is not None:
        passed = actual <= threshold if comparator == AT_MOST else actual >= threshold
    return Gate(name, setting, comparator, threshold, actual, passed)


def missed(gates: Sequence[Gate]) -> list[str]:
    """Name those that do not hold."""
    return [each.name for each in gates if each.passed is False]


def unmeasured(gates: Sequence[Gate]) -> list[str]:
    """Name those of which nothing is known."""
    return [each.name for each in gates if each.passed is None]
