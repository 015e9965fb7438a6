"""Coherence: do entries group around themes? Pure."""

from __future__ import annotations

from crewmem.health.metric import LEAST_EPISODES, Input, share, too_few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.metric import Counts, Mend

NAME = "coherence"
WEIGHT = 0.20
QUESTION = "do entries group around themes?"
MOVES = "what is written"


def lack(counts: Counts) -> str:
    """Return why there is nothing to judge by, "" if there is."""
    if few := too_few(counts):
        return few
    if not counts.model:
        return f"recall goes by words: {counts.why_words}"
    if counts.vectors < LEAST_EPISODES or counts.near is None or counts.every is None:
        return f"fewer than {LEAST_EPISODES} episodes are embedded"
    return ""


def score(counts: Counts) -> float:
    """Tell how far the nearest are beyond what any two have in common.

    Where all say the same there is one theme, and everything is of it.
    """
    near, every = counts.near or 0.0, counts.every or 0.0
    return share(near - every, 1.0 - every) if every < 1.0 - SAME else 100.0


SAME = 1e-6
"""What the mean cosine of all pairs may lack where all vectors are one."""


def inputs(counts: Counts) -> Iterator[Input]:
    """Yield what it is computed from."""
    yield Input("vectors", counts.vectors, "episodes are embedded")
    yield Input("sampled", counts.sampled, "of them were looked at")
    yield Input("near", counts.near, "mean cosine of these to their three nearest")
    yield Input("every", counts.every, "mean cosine of all pairs")


def mends(counts: Counts) -> Iterator[Mend]:  # noqa: ARG001 - as the others have it
    """Yield nothing: no command makes entries speak of one thing."""
    yield from ()
