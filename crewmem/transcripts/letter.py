"""What a model was to be asked and could not: asked again, with growing waits. Pure."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

FIRST_WAIT = timedelta(minutes=5)
"""As often as logs are read: sooner nothing has changed."""

LONGEST_WAIT = timedelta(days=1)

TRIES_MOST = 10
"""Tries in two and a half days; what fails as often will not do any more."""

OPEN, GIVEN_UP, GONE = "open", "given up", "gone"


class Letter(NamedTuple):
    """A part of a log of which a model has said nothing so far.

    Attributes:
        id: d_ and 12 characters.
        agent: Whose memories are to be made of it.
        harness: The program that wrote it.
        path: The log.
        session: Of a database that holds several; "" for a file.
        start: The byte that the part begins at.
        end: The byte behind it.
        line: How many lines are before it.
        state: What the format knew there.
        digest: Of what was said in it.
        attempts: How often a model was asked.
        error: Why it could not, the last time.
        first_at: When it was asked first.
        next_at: When it is asked again.
        status: open, given up, or gone: the log no longer says that.
    """

    id: str
    agent: str
    harness: str
    path: str
    session: str
    start: int
    end: int
    line: int
    state: Mapping[str, Any]
    digest: str
    attempts: int
    error: str
    first_at: datetime
    next_at: datetime
    status: str = OPEN


def wait(attempts: int) -> timedelta:
    """Return how long to wait after so many *attempts*: twice as long each time."""
    doubled: int = 2 ** min(attempts - 1, TRIES_MOST)
    return min(FIRST_WAIT * doubled, LONGEST_WAIT)


def again(letter: Letter, error: str, now: datetime) -> Letter:
    """Return *letter* after one more try that failed with *error*."""
    attempts = letter.attempts + 1
    return letter._replace(
        attempts=attempts,
        error=error,
        next_at=times.after(now, wait(attempts)),
        status=GIVEN_UP if attempts >= TRIES_MOST else OPEN,
    )
