"""What jobs and timers are called, so that those of two homes do not meet. Pure.

An idle sweep loads this, and nothing else of its room.
"""

from __future__ import annotations

PREFIX = "crewmem"

LOCK = "locks/job."
"""What the lock file of a job begins with, below the home; its key follows."""

TAG_DIGITS = 8
"""Of a hash: homes of one user are few."""


def tag(home: str, workspace: str | None, *, usual: str) -> str:
    """Return what tells the timers of *home* from others'; "" for the usual home.

    Args:
        home: Its path.
        workspace: The only one that the jobs look after; None for all.
        usual: The path of the home that crewmem takes if none is named.
    """
    if home == usual and not workspace:
        return ""
    from hashlib import sha256

    text = f"{home}\0{workspace or ''}"
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:TAG_DIGITS]


def prefix(tagged: str) -> str:
    """Return what the names of units begin with, for the timers of *tagged*."""
    return f"{PREFIX}-{tagged}" if tagged else PREFIX


def key_of(name: str, workspace: str | None) -> str:
    """Return what a job is called where it is looked up: with the one workspace of it.

    Args:
        name: The job.
        workspace: The only one that it looks after; None for all.
    """
    return f"{name}@{workspace}" if workspace else name
