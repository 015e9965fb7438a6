"""Dumps of memories: one file of JSON, of whichever program."""

from __future__ import annotations

from functools import lru_cache

from crewmem.bundles.reading import Reading
from crewmem.memories.dump import items
from crewmem.memories.foreign import as_ours, form_of
from crewmem.memories.foreign.aim import Aim as ForeignAim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.bundles.reading import Aim
    from crewmem.bundles.source import Source
    from crewmem.memories.dump import Item

ENDINGS = (".json", ".jsonl", ".ndjson")

START = 512
"""Bytes that tell whether it is JSON at all."""


def is_json(source: Source) -> bool:
    """Tell whether *source* is one file, of JSON as far as its name or start tell."""
    if len(source.sizes) != 1:
        return False
    (name,) = source.sizes
    if name.lower().endswith(ENDINGS):
        return True
    with source.opened(name) as stream:
        start = stream.read(START).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] in {b"{", b"["}


def is_of(source: Source, form: str) -> bool:
    """Tell whether *source* is a dump of *form*."""
    return is_json(source) and form_of(found(source)) == form


@lru_cache(maxsize=1)
def found(source: Source) -> list[Item]:
    """Return the objects in *source*; once, for whoever asks."""
    (name,) = source.sizes
    return items(source.read(name, source.limits.input))


def reading(source: Source, aim: Aim, form: str) -> Reading:
    """Return what *source*, a dump of *form*, holds for *aim*."""
    if len(source.sizes) != 1:
        return Reading((), (), memories=())
    whose = ForeignAim(
        aim.workspace, aim.agent, aim.crew, aim.names, with_issues=aim.with_issues
    )
    return Reading((), (), memories=tuple(as_ours(form, found(source), whose)))
