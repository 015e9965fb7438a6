"""Reachability: are episodes connected? Pure."""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.metric import Input, Mend, share, too_few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts

NAME = "reachability"
WEIGHT = 0.15
QUESTION = "are episodes connected?"
MOVES = ""


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is.

    Most relations are found with vectors: without any the few that were drawn by hand
    would make a store look bad that had none before.
    """
    if few := too_few(counts):
        return few
    if not counts.model:
        return f"relations are found with vectors: {counts.why_words}"
    if not counts.vectors:
        return "relations are found with vectors: nothing is embedded yet"
    return ""


def score(counts: Counts) -> float:
    """Return the share of episodes that have a relation."""
    return share(counts.connected, counts.episodes)


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    yield Input("episodes", counts.episodes, "episodes")
    yield Input("connected", counts.connected, "of them have a relation")
    yield Input("unlinked", counts.unlinked, "of them were not looked at for one")


def mends(counts: Counts) -> Iterator[Mend]:
    """Yield what would connect more; what supports what, nobody but a reader knows."""
    looked_at = counts.vectors - counts.unlinked
    if counts.unlinked and counts.model:
        part = counts.connected / looked_at if looked_at > 0 else 1.0
        found = round(counts.unlinked * min(1.0, part))
        episodes = counted(counts.unlinked, "episode was", "episodes were")
        yield Mend(
            ("episodes", "sweep", "--all"),
            f"{episodes} not looked at for relations",
            {"connected": counts.connected + found, "unlinked": 0},
        )
