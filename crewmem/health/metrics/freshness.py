"""Freshness: how recent is what is indexed? Pure."""

from __future__ import annotations

from math import exp2

from crewmem.health.advice import counted
from crewmem.health.metric import Input, Mend, too_few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts

NAME = "freshness"
WEIGHT = 0.25
QUESTION = "how recent is what is indexed?"

HALF_LIFE = 30.0
"""Days in which half of it is gone; as was published."""

STOPPED = 1.0
"""Days without a new episode from which on one asks where they are."""


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is."""
    return too_few(counts)


def score(counts: Counts) -> float:
    """Halve 100 with every 30 days of the median age; what is to come is of today."""
    return 100.0 * exp2(-max(0.0, counts.median_age or 0.0) / HALF_LIFE)


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    yield Input("episodes", counts.episodes, "episodes")
    yield Input("median_age_days", counts.median_age, "days: half of them are older")
    yield Input("newest_age_days", counts.newest_age, "days since the newest came")


def mends(counts: Counts) -> Iterator[Mend]:
    """Yield what would have kept it as it was when the newest episode came.

    Had they gone on as before, all ages would be less by that of the newest.
    """
    newest, median = counts.newest_age, counts.median_age
    if newest is None or median is None or newest < STOPPED:
        return
    changes = {"median_age": median - newest, "newest_age": 0.0}
    days = counted(round(newest), "day")
    if not counts.is_consolidated:
        why = f"nothing worth recalling came for {days}: sum up what happened"
        yield Mend(("consolidate", "run"), why, changes)
    why = f"nothing worth recalling came for {days}: note what happens"
    yield Mend(("journal", "add", "summary.generated", "TEXT"), why, changes)
