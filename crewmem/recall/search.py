"""Finding what memory files, the journal and memories hold, in one list."""

from __future__ import annotations

from crewmem.recall.merge import merged
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.episodes.hit import Hit as Episode
    from crewmem.episodes.hit import Recalled
    from crewmem.files.hit import Answer
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Answer as Held
    from crewmem.memories.hit import Hit as Memory

MODES = ("hybrid", "syntax", "fallback", "words")
"""How a search was asked, the first that one of the stores tells."""


class Found(NamedTuple):
    """What a search over all stores found.

    Attributes:
        mode: ``words`` or ``hybrid``; ``syntax`` or ``fallback`` as `memory search`
            says of files.
        hits: Most likely to answer first.
        warnings: What a person should know of the search.
    """

    mode: str
    hits: list[Chunk | Episode | Memory]
    warnings: list[str]


def search(
    files: Answer | None,
    entries: Recalled | None,
    limit: int,
    held: Held | None = None,
) -> Found:
    """Return what was found in memory *files*, *entries* and what is *held* as one.

    None stands for a store that is not there.
    """
    told = [files.mode] if files else []
    if entries:
        told.append("hybrid" if entries.mode == "hybrid" else "words")
    told += [held.mode] if held else []
    answers = (files, entries, held)
    warnings = [*dict.fromkeys(w for each in answers if each for w in each.warnings)]
    lists: list[list[Chunk | Episode | Memory]] = [
        [*(held.hits if held else ())],
        [*(files.hits if files else ())],
        [*(entries.hits if entries else ())],
    ]
    mode = next((mode for mode in MODES if mode in told), "words")
    return Found(mode, merged(lists, limit), warnings)
