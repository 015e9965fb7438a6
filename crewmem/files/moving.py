"""Vectors of a file that was moved: they go with it.

What is embedded of a chunk is the name of its file and what it says, not the folder. So
a note that was put away has the vectors that it had, at once and without a sweep.
"""

from __future__ import annotations

from crewmem.files.tiers import Tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.indexed import File
    from crewmem.files.store import MemoryIndex


class Moving:
    """Files that leave one folder of a directory, and may come into another.

    They are known again by their name and their content, and by how that is cut. Call
    it inside a change.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self._vectors = index.vectors if index.has_vectors else None
        self._left: dict[tuple[str, bytes | None, bool], dict[int, int]] = {}

    def leaves(self, file: File) -> None:
        """Note the vectors of *file*, which is forgotten next."""
        if self._vectors and file.content_hash and file.first_chunk is not None:
            chunks = range(file.first_chunk, file.first_chunk + file.chunks)
            keys = self._vectors.key_of(chunks)
            places = {at - file.first_chunk: key for at, key in keys.items()}
            self._left[_known_by(file)] = places

    def comes(self, file: File) -> None:
        """Give *file*, whose chunks are there from now on, what one that left had."""
        if self._vectors and file.content_hash and file.first_chunk is not None:
            places = self._left.get(_known_by(file), {})
            self._vectors.keep_keys(
                {file.first_chunk + at: key for at, key in places.items()}
            )


def _known_by(file: File) -> tuple[str, bytes | None, bool]:
    """Return what tells *file* in another folder: lessons are cut by entry."""
    return file.name, file.content_hash, file.tier == Tier.LESSONS
