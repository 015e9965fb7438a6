"""Memory within a budget that its tiers share. Pure, but for the scanner handed on.

Pins come first, then the crew, the workspace and the agent. Each has its share, its
markers included, and what it does not use falls to the next. In a crew of one the agent
comes before its crew.
"""

from __future__ import annotations

from crewmem.prompt.block import Block, body_of, frame, text_of
from crewmem.prompt.fill import fill
from crewmem.prompt.room import NOTHING, size
from crewmem.prompt.section import Fate, Piece
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.prompt.room import Room
    from crewmem.prompt.section import Section
    from crewmem.threats.rule import Scan

PINS, CREW, WORKSPACE = 10, 40, 15
"""Most percent: of all, of what pins leave, of what pins and crew leave."""


class Memory(NamedTuple):
    """What is to be laid, by block; pins apart, for they have a share of their own."""

    pins: Mapping[Block, Section]
    sections: Mapping[Block, Sequence[Section]]


class Laid(NamedTuple):
    """What became of it.

    Attributes:
        pieces: Of each block, in their order; of some all may be left out.
        texts: The blocks that are there, whole.
    """

    pieces: dict[Block, list[Piece]]
    texts: dict[Block, str]


def lay(memory: Memory, room: Room, scan: Scan, *, alone: bool = False) -> Laid:
    """Return what becomes of *memory* in *room*; *alone*: in a crew of one."""
    pins = _pins(memory, room.share(PINS), scan)
    left = room
    for piece in pins.values():
        left = left.less(size(piece.text))
    laid = Laid({}, {})
    for block, most in _shares(left, alone=alone):
        pinned = [pins[block]] if block in pins else []
        sections = memory.sections.get(block, ())
        given = _given(block, left, most)
        laid.pieces[block] = _block(block, pinned, sections, given, scan)
        if text := text_of(block, body_of(laid.pieces[block])):
            laid.texts[block] = text
        # Pins were taken off before; where they are not shown it comes back.
        for piece in pinned:
            left = left.more(size(piece.text))
        left = left.less(size(text))
    return laid


def _pins(memory: Memory, room: Room, scan: Scan) -> dict[Block, Piece]:
    """Return what becomes of the pins: of the agent's, and of the crew's."""
    blocks = [each for each in (Block.AGENT, Block.CREW) if each in memory.pins]
    half = [memory.pins[each]._replace(floor=50) for each in blocks]
    return dict(zip(blocks, fill(half, room, scan), strict=True))


def _shares(left: Room, *, alone: bool) -> list[tuple[Block, Room | None]]:
    """Return the blocks in the order in which they are laid, with most of each."""
    crew = (Block.CREW, left.share(CREW))
    if alone:
        return [(Block.AGENT, None), crew, (Block.WORKSPACE, None)]
    return [crew, (Block.WORKSPACE, None), (Block.AGENT, None)]


def _given(block: Block, left: Room, most: Room | None) -> Room:
    """Return the room of *block*; *left* is what is left of all."""
    if block is Block.WORKSPACE:
        return left.share(WORKSPACE)
    return left if most is None else left.within(most)


def _block(
    block: Block,
    pinned: Sequence[Piece],
    sections: Sequence[Section],
    room: Room,
    scan: Scan,
) -> list[Piece]:
    """Return what becomes of the sections of *block*, its *pinned* ones first."""
    if not room.holds(frame(block)):
        kept = [_left_out(each) for each in pinned]
        return [*kept, *fill(sections, NOTHING, scan)]
    return [*pinned, *fill(sections, room.less(frame(block)), scan)]


def _left_out(piece: Piece) -> Piece:
    return Piece(piece.section, Fate.LEFT_OUT, why="no room for its block")
