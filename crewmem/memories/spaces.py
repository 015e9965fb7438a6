"""Which vectors are of which memory, and whose they are. Pure.

A vector is known by the place of its memory and by what that said: it is never taken
for one of what a memory says now, or of another that took the place.
"""

from __future__ import annotations

from crewmem.vectors.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.memories.memory import Owner
    from crewmem.memories.store import Filter
    from crewmem.vectors.space import Kept

MEMORIES = "memories"
"""Kind of the vectors of memories; the mark is the place that sweeps came to."""

CHANGES = "memories-changed"
"""Kind of a space without vectors: its mark is up to when changes were looked at, in
milliseconds."""

LINKS = "memories-linked"
"""Kind of a space without vectors: its mark is the place up to which links were looked
for."""

LINK_CHANGES = "memories-linked-changed"
"""The same for changes, in milliseconds."""

DIGITS = 6
"""Of the hash of what a memory says, in its key: 24 bits beside 39 of its place."""

BITS = 4 * DIGITS

OWNERS = 0x7FFF_FFFF
"""The greatest number of an owner. Two that share a number cost a look, not a secret:
what is found is looked up as far as it may be seen."""


def space_of(workspace: str, model: str, dim: int) -> Space:
    """Return the space of the memories of *workspace*."""
    return Space(MEMORIES, workspace, model, dim)


def changes_of(space: Space) -> Space:
    """Return the space whose mark tells up to when changes were looked at."""
    return space._replace(kind=CHANGES)


def links_of(space: Space) -> Space:
    """Return the space whose mark tells up to where links were looked for."""
    return space._replace(kind=LINKS)


def link_changes_of(space: Space) -> Space:
    """Return the space whose mark tells up to when changes were looked at for links."""
    return space._replace(kind=LINK_CHANGES)


def key_of(seq: int, digest: str) -> int:
    """Return the key of the memory at *seq* that says what has the hash *digest*."""
    return seq << BITS | int(digest[:DIGITS], 16)


def seq_of(key: int) -> int:
    """Return the place of the memory of *key*."""
    return key >> BITS


def digits_of(key: int) -> str:
    """Return how the hash begins of what the memory of *key* said."""
    return f"{key & (1 << BITS) - 1:0{DIGITS}x}"


def number_of(owner: Owner) -> int:
    """Return the number of *owner*, by which a scan leaves out what others own."""
    from zlib import crc32

    return crc32("\0".join(owner).encode("utf-8", "replace")) & OWNERS


def numbers_of(wanted: Filter) -> tuple[int, ...] | None:
    """Return the numbers of whose memories may be *wanted*; None: of anyone's."""
    from crewmem.memories.memory import Owner

    view = wanted.view
    if view.agent is not None:
        owners = [Owner("agent", agent=view.agent), Owner("workspace")]
        owners += [Owner("crew", crew=crew) for crew in sorted(view.crews)]
    elif wanted.agent is not None:
        owners = [Owner("agent", agent=wanted.agent)]
    elif wanted.crew is not None:
        owners = [Owner("crew", crew=wanted.crew)]
    elif wanted.scope == "workspace":
        owners = [Owner("workspace")]
    else:
        return None
    return tuple(
        number_of(each)
        for each in owners
        if wanted.scope in {None, each.scope}
        and wanted.agent in {None, each.agent}
        and wanted.crew in {None, each.crew}
    )


def stored(spaces: Iterable[Kept], workspace: str | None = None) -> list[Kept]:
    """Return the spaces that hold vectors of memories, most vectors first."""
    found = [
        each
        for each in spaces
        if each.space.kind == MEMORIES
        and each.vectors
        and workspace in {None, each.space.workspace}
    ]
    return sorted(found, key=lambda each: (-each.vectors, each.space))
