"""Efficiency: are recalls distinct and relevant? Pure."""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.metric import Input, Mend, share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts

NAME = "efficiency"
WEIGHT = 0.15
QUESTION = "are recalls distinct and relevant?"
MOVES = "what is recalled"


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is."""
    if counts.came.hits:
        return ""
    if counts.came.recalls:
        return "nothing was found by what was recalled in 30 days"
    return "nothing was recalled in 30 days"


def score(counts: Counts) -> float:
    """Return the share of hits that pass the gate and repeat no better one."""
    return share(counts.came.distinct, counts.came.hits)


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    came = counts.came
    yield Input("recalls", came.recalls, "recalls in 30 days, or the latest of them")
    yield Input("hits", came.hits, "hits in their answers")
    gate = "" if counts.is_gated else "; recall_min_relevance is lower than usual"
    yield Input(
        "ungated_hits",
        came.ungated,
        f"of these are in answers of which none passes the gate{gate}",
    )
    yield Input("relevant_hits", came.relevant, "of these pass the gate")
    unseen = "" if counts.vectors else "; without vectors that is not seen"
    yield Input(
        "distinct_hits", came.distinct, f"of those repeat no better hit{unseen}"
    )
    yield Input("repeated_memories", came.repeated, "of the others are memories")


def mends(counts: Counts) -> Iterator[Mend]:
    """Yield what leaves out of recalls to come what repeats another most often.

    Condensing does not: what a summary is made of is recalled beside it.
    """
    came = counts.came
    if came.worst is None:
        return
    name, better, times = came.worst
    yield Mend(
        ("memories", "supersede", name, "--by", better),
        f"if they say the same: {counted(times, 'answer')} had both",
        {
            "came": came._replace(
                hits=came.hits - times,
                relevant=came.relevant - times,
                repeated=came.repeated - times,
                worst=None,
            )
        },
    )
