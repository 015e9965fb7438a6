"""Freshness: how recent is what is indexed? Pure."""

from __future__ import annotations

from math import exp2

from crewmem.health.metric import Input, too_few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts, Mend

NAME = "freshness"
WEIGHT = 0.25
QUESTION = "how recent is what is indexed?"
MOVES = "what is written"

HALF_LIFE = 30.0
"""Days in which half of it is gone; as was published."""


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
    age = counts.consolidated_age
    yield Input("consolidated_age_days", age, "days since notes were consolidated")


def mends(counts: Counts) -> Iterator[Mend]:  # noqa: ARG001 - as the others have it
    """Yield nothing: one more entry moves no median, and none is to be made up."""
    yield from ()
