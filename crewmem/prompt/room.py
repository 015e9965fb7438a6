"""How much room is left for text, in characters and in bytes at once. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.prompt.budget import Budget

ENDLESS = 1 << 60
"""Stands for what is not limited."""


class Room(NamedTuple):
    """Most characters and most bytes of what is still to come.

    Two budgets of different units bound one text, so both are counted.
    """

    chars: int = ENDLESS
    bytes: int = ENDLESS

    def share(self, percent: int) -> Room:
        """Return *percent* of it, rounded down."""
        return Room(self.chars * percent // 100, self.bytes * percent // 100)

    def within(self, other: Room) -> Room:
        """Return what is in both."""
        return Room(min(self.chars, other.chars), min(self.bytes, other.bytes))

    def less(self, taken: Room) -> Room:
        """Return what is left when *taken* is used; never below nothing."""
        return Room(max(self.chars - taken.chars, 0), max(self.bytes - taken.bytes, 0))

    def more(self, added: Room) -> Room:
        """Return both together."""
        return Room(self.chars + added.chars, self.bytes + added.bytes)

    def holds(self, size: Room) -> bool:
        """Tell whether a text of *size* fits."""
        return size.chars <= self.chars and size.bytes <= self.bytes


NOTHING = Room(0, 0)


def size(text: str) -> Room:
    """Return what *text* takes. Sizes of parts add up."""
    if text.isascii():
        return Room(len(text), len(text))
    return Room(len(text), len(text.encode()))


def room(budget: Budget | None) -> Room:
    """Return the room of a *budget*; all there is for none."""
    if budget is None:
        return Room()
    if budget.unit == "c":
        return Room(chars=budget.room)
    return Room(bytes=budget.room)
