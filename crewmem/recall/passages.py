"""The whole text of the passages that a search found, as it stands in their files."""

from __future__ import annotations

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.retrieval.marked import unmarked
from crewmem.retrieval.snippet import past_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.files.hit import Hit
    from crewmem.files.place import Place


def passage(hit: Hit, places: Sequence[Place], *, most: int, limit: int) -> str:
    """Return what the passage of *hit* says, or its snippet where it cannot be had.

    That is where the file is gone or shorter by now, and where the passage is a part
    of a line longer than *most*, the characters of a passage.

    Args:
        hit: What was found.
        places: The directories that were searched.
        most: Most characters of a passage.
        limit: Most bytes of a file.
    """
    excerpt = unmarked(hit.snippet, hit.matches)
    place = next((each for each in places if each.path / hit.file == hit.path), None)
    if place is None:
        return excerpt
    try:
        with open_place(place) as root, disk.open_file(root, hit.file) as opened:
            content = opened.read(limit)
    except CrewmemError:
        return excerpt
    lines = content.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
    some = b"\n".join(lines[hit.first_line - 1 : hit.last_line])
    text = some.decode("utf-8", "replace").removeprefix("\ufeff")
    is_whole = hit.last_line <= len(lines) and len(text.rstrip()) <= most
    if not is_whole or not text.strip():
        return excerpt
    return text[past_heading(text) :].strip() or excerpt
