"""What vectors may be compared: of one kind, workspace, model and dimension."""

from __future__ import annotations

from crewmem.records import NamedTuple

MOST_DELAY_MS = 86_400_000
"""A day, after which what failed is tried again: what did for a week may be mended."""


class Space(NamedTuple):
    """A set of vectors that may be compared with each other.

    Attributes:
        kind: What they are vectors of: ``entries``, ``memories``, ``chunks``.
        workspace: Nothing crosses it.
        model: What made them.
        dim: How many numbers a vector has.
    """

    kind: str
    workspace: str
    model: str
    dim: int


class Kept(NamedTuple):
    """A space as it stands in a store.

    Attributes:
        vectors: How many vectors it has, those removed not counted.
        mark: How far the sweep has looked.
    """

    space: Space
    vectors: int
    mark: int


class Failure(NamedTuple):
    """What could not be embedded.

    Attributes:
        due_ms: It is not to be tried again before, in milliseconds since 1970.
    """

    key: int
    tries: int
    due_ms: int
    error: str

    def is_due(self, now_ms: int) -> bool:
        """Tell whether to try it now, also where a clock was ahead when it failed."""
        return not now_ms < self.due_ms <= now_ms + MOST_DELAY_MS
