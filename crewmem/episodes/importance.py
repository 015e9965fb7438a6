"""How much an episode weighs, and how that fades and grows. Pure.

What is stored is computed from the base each time, never from the last result, so
computing it twice changes nothing.
"""

from __future__ import annotations

from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.journal.entry import Entry

NEUTRAL = 0.5
"""Importance of an entry of which nothing is known."""

BY_TYPE = {
    "eval.regression_detected": 0.30,
    "peer.escalation": 0.20,
    "memory.consolidated": 0.20,
    "summary.generated": 0.15,
    "approval.denied": 0.15,
    "keeper.decision": 0.10,
    "mission.status_change": 0.05,
}
"""Added to `NEUTRAL`; other types add nothing."""

BY_SEVERITY = {"notice": 0.05, "warn": 0.15, "error": 0.25}

FLOORS = {"pin": 0.80, "high": 0.85, "permanent": 0.95}
"""Least importance by priority. That a pin is below high is how it was published."""

FADING_DAYS = 180
"""Days after which nothing but `LEAST_RECENCY` would be left, in a straight line."""

LEAST_RECENCY = 0.1

DAY_MS = 86_400_000

LATE_MS = DAY_MS
"""An entry that came later than this after it happened is as old as it is."""

DOUBLINGS = 8
"""Doublings of the references that double importance."""


def base(entry_type: str, severity: str) -> float:
    """Return the importance of a new entry without its priority, in [0, 1]."""
    added = BY_TYPE.get(entry_type, 0.0) + BY_SEVERITY.get(severity, 0.0)
    return min(round(NEUTRAL + added, 2), 1.0)


def floor(priority: str) -> float:
    """Return the importance below which an entry of *priority* never falls."""
    return FLOORS.get(priority, 0.0)


def recency(days: float) -> float:
    """Return the share of its base that an episode keeps after *days*, in [.1, 1]."""
    return max(LEAST_RECENCY, 1.0 - max(0.0, days) / FADING_DAYS)


def importance(base: float, least: float, days: float, references: int) -> float:
    """Return the importance of an episode now, in [0, 1].

    Args:
        base: As `base` has it.
        least: The floor of its priority.
        days: Since it first could be recalled; negative counts as none.
        references: How often it was delivered into a prompt.
    """
    boost = log2(max(0, references) + 1)
    grown = base * recency(days) * (1.0 + boost / DOUBLINGS)
    return max(0.0, min(1.0, max(grown, least)))


def first_recallable(happened_ms: int, now_ms: int) -> int:
    """Return since when an entry that is taken in *now_ms* counts as recallable.

    That is now, unless it was brought in long after it happened: an import does not
    make an old memory young.
    """
    return happened_ms if now_ms - happened_ms > LATE_MS else now_ms


def days_between(then_ms: int, now_ms: int) -> float:
    """Return the days from *then_ms* to *now_ms*; 0 if it is not yet then."""
    return max(0, now_ms - then_ms) / DAY_MS


def first_weight(entry: Entry, now_ms: int) -> tuple[int, float, float, float]:
    """Return how *entry* weighs as an episode that is taken in *now_ms*.

    That is since when it counts as recallable, its base and its floor, and its
    importance.
    """
    weight, least = base(entry.entry_type, entry.severity), floor(entry.priority)
    when = first_recallable(int(entry.ts.timestamp() * 1000), now_ms)
    weighs = importance(weight, least, days_between(when, now_ms), 0)
    return when, weight, least, weighs
