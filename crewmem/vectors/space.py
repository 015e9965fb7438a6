"""What vectors may be compared: of one kind, workspace, model and dimension."""

from __future__ import annotations

from crewmem.records import NamedTuple


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
