"""The vectors of chunks that were found once, by how searches name them."""

from __future__ import annotations

import re

from crewmem.files.coverage import opened_index, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crewmem.files.place import Place
    from crewmem.files.store import MemoryIndex
    from crewmem.retrieval.vectors import Floats

LINES = re.compile(r"(?:(.*)/)?([^/]+):(\d{1,9})-(\d{1,9})", re.DOTALL)
"""A file below its memory directory, and lines of it."""


def hit_vectors(
    place: Place, refs: Collection[str], model: str, *, busy_timeout: float
) -> dict[str, Floats]:
    """Return the vectors of *model* of those of *refs* that are chunks of *place*.

    A chunk that is no longer as it was named is left out.

    Raises:
        DerivedDamagedError: If its index, or a vector in it, cannot be read.
    """
    above = place.ref("")
    named = {
        ref: lines
        for ref in refs
        if ref.startswith(above) and (lines := LINES.fullmatch(ref, len(above)))
    }
    if not named:
        return {}
    with opened_index(place, busy_timeout=busy_timeout) as index:
        if index is None or not index.has_vectors:
            return {}
        return _vectors(index, named, place, model)


def _vectors(
    index: MemoryIndex, named: Mapping[str, re.Match[str]], place: Place, model: str
) -> dict[str, Floats]:
    vectors, store = index.vectors, index.vectors.store
    spaces = [kept.space for kept in store.spaces() if kept.vectors]
    space = next((each for each in spaces if each.model == model), None)
    if space is None:
        return {}
    keys = {}
    for ref, lines in named.items():
        directory, name, first, last = lines.groups()
        keys[ref] = vectors.key_at(directory or "", name, int(first), int(last))
    found = store.vectors_of(
        space, {each for each in keys.values() if each is not None}
    )
    if store.damaged:
        raise unread(place, next(iter(store.damaged.values())))
    return {ref: found[key] for ref, key in keys.items() if key in found}
