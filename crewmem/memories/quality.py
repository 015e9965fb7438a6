"""How good shared knowledge is: OtterCamp's formula, computed when it is read. Pure."""

from __future__ import annotations

START, STEP, MOST = 0.6, 0.1, 0.9
"""Of what is promoted: for the first agent, for each further one, and at most."""

CONFIRMED, CONTRADICTED = 0.10, 0.15
"""What a vote for adds, and one against takes."""

IDLE, AGE = 0.005, 0.002
"""What a day without access takes, and a day of age."""


def quality(
    base: float, up: int, down: int, *, idle_days: float, age_days: float
) -> float:
    """Return how good shared knowledge is, in [0, 1].

    Args:
        base: As it began.
        up: Votes for it.
        down: Votes against it.
        idle_days: Since it was last read; if it never was, since it was written.
        age_days: Since it was written.
    """
    raw = base + CONFIRMED * up - CONTRADICTED * down
    raw -= IDLE * max(0.0, idle_days) + AGE * max(0.0, age_days)
    return round(min(1.0, max(0.0, raw)), 6)


def start(agents: int) -> float:
    """Return the quality that what *agents* hold independently begins with."""
    return round(min(MOST, START + STEP * (max(agents, 1) - 1)), 6)
