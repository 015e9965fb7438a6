"""How much of a source is read. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

INPUT_MOST = 10 << 20
"""Most bytes of a source as it lies, unless ``--max-input`` says otherwise."""

UNPACKED_MOST = 1 << 30
"""Most bytes of what is unpacked: a hundred full memory directories."""

RATIO_MOST = 200
"""How many times its size an archive may unpack to; journals come to 20 or 30."""

RATIO_FREE = 16 << 20
"""Bytes that may be unpacked of an archive however small it is."""

MEMBERS_MOST = 200_000
"""Most files of a source: whoever has more imports them in parts."""

DOCUMENT_MOST = 8 << 20
"""Most bytes of a file of ours; the write path has lower caps."""

FOREIGN_MOST = 1 << 20
"""Most bytes of a file of another program's: what is larger is no memory."""

DEEPEST = 32
"""Levels of directories that are entered."""


class Limits(NamedTuple):
    """How much of a source is read.

    Attributes:
        input: Bytes of the source as it lies; of a directory, of each file.
        unpacked: Bytes that an archive unpacks to.
        members: Files.
        ratio: How many times its size an archive may unpack to.
    """

    input: int = INPUT_MOST
    unpacked: int = UNPACKED_MOST
    members: int = MEMBERS_MOST
    ratio: int = RATIO_MOST

    def unpacks_to(self, packed: int) -> int:
        """Return how many bytes an archive of *packed* bytes may unpack to."""
        return min(self.unpacked, max(RATIO_FREE, packed * self.ratio))


USUAL = Limits()


def limits(most: int | None) -> Limits:
    """Return the limits where *most* bytes of input were allowed, None: the usual."""
    if most is None:
        return USUAL
    return Limits(input=most, unpacked=max(UNPACKED_MOST, 8 * most))
