"""The blocks that come on top of the budget, as far as there is room. Pure."""

from __future__ import annotations

from crewmem.prompt.block import Block, body_of, frame, text_of
from crewmem.prompt.fill import fill
from crewmem.prompt.room import Room, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.prompt.section import Piece, Section
    from crewmem.threats.rule import Scan

CAPS = {Block.PERSONA: "persona", Block.OPERATOR: "user", Block.PEER: "peer"}
"""The tier whose cap bounds what a block of one file shows."""

LINES = 500
"""Bytes beside such a text: its label and what says that it was cut."""

FIRST = (
    Block.PERSONA,
    Block.GAP,
    Block.INSTRUCTIONS,
    Block.OPERATOR,
    Block.PEER,
    Block.NUDGE,
)
"""In the order in which they are given room."""


class Top:
    """What comes on top.

    Attributes:
        texts: The blocks that are there, whole.
        pieces: What became of the files.
    """

    def __init__(
        self,
        fixed: Mapping[Block, str],
        files: Mapping[Block, Section],
        caps: Mapping[str, int],
        scan: Scan,
    ) -> None:
        """Hold what could be there: *fixed* texts, and the sections of *files*."""
        self._fixed, self._files = fixed, files
        self._caps, self._scan = caps, scan
        self.texts: dict[Block, str] = {}
        self.pieces: dict[Block, list[Piece]] = {}

    def lay(self, room: Room) -> None:
        """Lay what is not there yet, as far as *room* goes."""
        for block in FIRST:
            if block in self.texts:
                continue
            text = self._text(block, room)
            if text and room.holds(size(text)):
                self.texts[block] = text
                room = room.less(size(text))

    def _text(self, block: Block, room: Room) -> str:
        section = self._files.get(block)
        if section is None:
            return self._fixed.get(block, "")
        cap = Room(bytes=self._caps[CAPS[block]] + LINES)
        left = room.less(frame(block)).within(cap)
        self.pieces[block] = fill([section], left, self._scan)
        return text_of(block, body_of(self.pieces[block]))

    @property
    def missing(self) -> list[Block]:
        """The fixed texts that there was no room for."""
        return [
            block
            for block, text in self._fixed.items()
            if text and block not in self.texts
        ]
