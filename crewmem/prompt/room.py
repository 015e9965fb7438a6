"""How much room is left for text, in all units of a budget at once. Pure."""

from __future__ import annotations

from crewmem.prompt.tokens import quarters
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.prompt.budget import Budget

ENDLESS = 1 << 60
"""Stands for what is not limited."""


class Room(NamedTuple):
    """Most characters, bytes and quarters of a token of what is still to come.

    Two budgets of different units bound one text, so all are counted.
    """

    chars: int = ENDLESS
    bytes: int = ENDLESS
    quarters: int = ENDLESS

    @property
    def least(self) -> int:
        """How many characters of any text it holds at most."""
        return min(self)

    def share(self, percent: int) -> Room:
        """Return *percent* of it, rounded down."""
        return Room(*(each * percent // 100 for each in self))

    def within(self, other: Room) -> Room:
        """Return what is in both."""
        return Room(*map(min, self, other))

    def less(self, taken: Room) -> Room:
        """Return what is left when *taken* is used; never below nothing."""
        return Room(
            max(self.chars - taken.chars, 0),
            max(self.bytes - taken.bytes, 0),
            max(self.quarters - taken.quarters, 0),
        )

    def more(self, added: Room) -> Room:
        """Return both together."""
        return Room(
            self.chars + added.chars,
            self.bytes + added.bytes,
            self.quarters + added.quarters,
        )

    def holds(self, size: Room) -> bool:
        """Tell whether a text of *size* fits."""
        return (
            size.chars <= self.chars
            and size.bytes <= self.bytes
            and size.quarters <= self.quarters
        )


NOTHING = Room(0, 0, 0)


def size(text: str) -> Room:
    """Return what *text* takes. Sizes of parts add up."""
    if text.isascii():
        return Room(len(text), len(text), len(text))
    return Room(len(text), len(text.encode()), quarters(text))


def room(budget: Budget | None) -> Room:
    """Return the room of a *budget*; all there is for none."""
    if budget is None:
        return Room()
    if budget.unit == "t":
        return Room(quarters=budget.room)
    return Room(chars=budget.room) if budget.unit == "c" else Room(bytes=budget.room)
