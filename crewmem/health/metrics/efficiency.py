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


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is."""
    if counts.hits:
        return ""
    if counts.recalls:
        return "nothing was found by what was recalled in 30 days"
    return "nothing was recalled in 30 days"


def score(counts: Counts) -> float:
    """Return the share of hits that pass the gate and repeat no better one."""
    return share(counts.distinct, counts.hits)


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    yield Input("recalls", counts.recalls, "recalls in 30 days, or the latest of them")
    yield Input("hits", counts.hits, "hits of them")
    yield Input("ungated_hits", counts.ungated, "of these are of no answer")
    yield Input("relevant_hits", counts.relevant, "of these pass the gate")
    unseen = "" if counts.vectors else "; without vectors that is not seen"
    yield Input(
        "distinct_hits", counts.distinct, f"of those repeat no better hit{unseen}"
    )


def mends(counts: Counts) -> Iterator[Mend]:
    """Yield what would let fewer hits in that are of no use."""
    if counts.ungated:
        changes = {"hits": counts.hits - counts.ungated, "ungated": 0}
        hits = counted(counts.ungated, "hit")
        if counts.is_gated:
            why = f"{hits} of answers that pass no gate: ask without --no-gate"
            yield Mend(("recall", "QUESTION"), why, changes)
        else:
            why = f"{hits} came through a gate that is lower than usual"
            command = ("config", "set", "recall_min_relevance", "0.7")
            yield Mend(command, why, changes)
    if beside := counts.hits - counts.ungated - counts.relevant:
        why = f"{counted(beside, 'hit')} far below the best of an answer: ask for fewer"
        changes = {"hits": counts.hits - beside}
        yield Mend(("recall", "QUESTION", "-k", "3"), why, changes)
    if counts.repeated:
        why = f"{counted(counts.repeated, 'hit')} of memories repeated better ones"
        changes = {
            "hits": counts.hits - counts.repeated,
            "relevant": counts.relevant - counts.repeated,
            "repeated": 0,
        }
        yield Mend(("memories", "condense"), why, changes)
