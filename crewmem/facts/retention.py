"""Retention of a fact, and its prior for ranking. Pure.

Forgetting deletes nothing; forgotten facts rank lower.
"""

from __future__ import annotations

from datetime import datetime
from math import exp

from crewmem.facts.fact import BASE_QUALITY, Fact
from crewmem.times import parse_time

RATE = 0.03
"""Rate of forgetting per day; half of a fact is forgotten in 23.1 days (Engram)."""

RATES = {
    "preference": 0.01,
    "correction": 0.01,
    "decision": 0.015,
    "lesson": 0.015,
    "workflow": 0.015,
    "error": 0.06,
    "context": 0.06,
}
"""Rates of kinds that are forgotten more slowly or faster."""

REINFORCEMENT = 0.1
"""How much each use slows forgetting."""

PRIOR_WEIGHTS = (0.4, 0.4, 0.2)
"""Weights of importance, effective confidence and retention in the prior."""

PRIOR_SPAN = 0.1
"""Maximum difference between the priors of two facts: it breaks ties, but lifts no fact over a
threshold."""


def retention(kind: str, days: float, references: int) -> float:
    """Return how much of a fact is remembered, in [0, 1].

    Args:
        kind: Kind of the fact.
        days: Days since its creation or last use, whichever is later; negative counts as 0.
        references: Number of uses.
    """
    rate = RATES.get(kind, RATE)
    return exp(-rate * max(0.0, days) / (1.0 + REINFORCEMENT * max(0, references)))


def days_between(earlier: datetime, later: datetime) -> float:
    """Return the days from one moment to another."""
    return (later - earlier).total_seconds() / 86_400


def days_unused(created_at: str, last_used_at: str | None, now: datetime) -> float:
    """Return the days since the last use or the creation of a fact, whichever is later."""
    return days_between(parse_time(max(created_at, last_used_at or "")), now)


def find_prior(importance: int, confidence: float, left: float) -> float:
    """Return the prior of a fact for ranking, within half of PRIOR_SPAN around 0.

    Args:
        importance: 1 to 5.
        confidence: Including votes.
        left: Retention.
    """
    values = ((importance - 1) / 4, confidence, left)
    weight = sum(share * value for share, value in zip(PRIOR_WEIGHTS, values, strict=True))
    return PRIOR_SPAN * (weight - 0.5)


def fact_quality(fact: Fact, last_used_at: str, now: datetime) -> float:
    """Return the quality of a shared fact, in [0, 1]; *last_used_at* is "" if never used.

    It starts at its base, rises with up votes, and falls with down votes and time.
    """
    value = BASE_QUALITY if fact.base_quality is None else fact.base_quality
    value += 0.10 * fact.up - 0.15 * fact.down
    value -= 0.005 * max(0.0, days_unused(fact.created_at, last_used_at, now))
    value -= 0.002 * max(0.0, days_between(parse_time(fact.created_at), now))
    return round(min(1.0, max(0.0, value)), 6)
