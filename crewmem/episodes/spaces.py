"""Which vectors of a workspace are of which model. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.vectors.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.vectors.space import Kept

ENTRIES = "entries"
"""Kind of the vectors of episodes."""

LINKS = "links"
"""Kind of a space without vectors: its mark is how far relations were looked for."""


class Model(NamedTuple):
    """A model that made vectors.

    Attributes:
        vectors: How many of them there are.
    """

    name: str
    dim: int
    vectors: int


def space_of(workspace: str, model: str, dim: int) -> Space:
    """Return the space of the episodes of *workspace*."""
    return Space(ENTRIES, workspace, model, dim)


def links_of(space: Space) -> Space:
    """Return the space whose mark tells how far the episodes of *space* are linked."""
    return space._replace(kind=LINKS)


def models(spaces: Iterable[Kept], workspace: str | None = None) -> list[Model]:
    """Return the models of the episodes, most vectors first.

    Args:
        workspace: Only those of this one; None for all of them together.
    """
    counts: dict[tuple[str, int], int] = {}
    for kept in spaces:
        is_meant = workspace in {None, kept.space.workspace}
        if kept.space.kind == ENTRIES and kept.vectors and is_meant:
            key = kept.space.model, kept.space.dim
            counts[key] = counts.get(key, 0) + kept.vectors
    found = [Model(name, dim, count) for (name, dim), count in counts.items()]
    return sorted(found, key=lambda model: (-model.vectors, model.name, model.dim))
