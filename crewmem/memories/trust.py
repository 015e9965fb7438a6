"""How far a memory is trusted: its confidence, and the votes on it. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UP, DOWN = 0.15, 0.20
"""What a vote adds or takes. Engram's numbers; here an actor has one vote."""

DOUBTERS, DOUBTED = 3, 0.15
"""Voters against, and confidence below which a memory is archived for review."""


class Vote(NamedTuple):
    """What an actor holds of a memory.

    Attributes:
        actor: Who voted.
        day: Of an operator's vote against: when, for those of other days count as
            well; "" for all others, of whom the last vote counts.
        is_up: Whether it is for.
        reason: Why, in the actor's words; "" if they said nothing.
        at: When, as stored.
    """

    actor: str
    day: str
    is_up: bool
    reason: str
    at: str


class Trust(NamedTuple):
    """How far a memory is trusted.

    Attributes:
        confidence: In [0, 1], votes counted.
        up: Votes for it.
        down: Votes against it.
    """

    confidence: float
    up: int
    down: int


def trust(confidence: float, votes: Iterable[Vote]) -> Trust:
    """Return the trust in a memory that was written with *confidence*, in [0, 1]."""
    told = [vote.is_up for vote in votes]
    return counted(confidence, sum(told), len(told) - sum(told))


def counted(confidence: float, up: int, down: int) -> Trust:
    """Return the trust after *up* votes for and *down* votes against."""
    raw = confidence + UP * up - DOWN * down
    return Trust(round(min(1.0, max(0.0, raw)), 6), up, down)


def is_doubted(trust: Trust) -> bool:
    """Tell whether so many are against a memory that a person should look at it."""
    return trust.down >= DOUBTERS and trust.confidence < DOUBTED
