"""Edges between entries. Pure."""

from __future__ import annotations

from enum import StrEnum

from crewmem.records import NamedTuple


class Kind(StrEnum):
    """What an edge says of its two ends."""

    SIMILAR = "similar"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


LEAST_SIMILAR = 0.80
"""Cosine from which on two episodes are called similar."""

MOST_SIMILAR = 3
"""Earlier episodes that a new one is linked to."""


class Edge(NamedTuple):
    """A directed edge; ``similar`` and ``contradicts`` are read both ways.

    Attributes:
        src: The place in the journal of the entry that it leads from.
        dst: Of the entry that it leads to.
        weight: In [0, 1]; of ``similar`` the cosine.
    """

    src: int
    dst: int
    relation: str
    weight: float
