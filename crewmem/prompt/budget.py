"""How long a text for a model may be: in characters, bytes or tokens. Pure."""

from __future__ import annotations

from crewmem.prompt.tokens import TOKEN_CHARS, quarters
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

UNITS = {"": "c", "c": "c", "b": "b", "t": "t"}
"""What may follow the number, and what it counts: characters, bytes, tokens."""

MOST = 1_000_000_000
"""Of any unit; more is no budget."""

WANTED = "a budget: a number of characters, or one with t for tokens, b for bytes"
"""What `Budget.parse` takes, for messages."""


class Budget(NamedTuple):
    """Most of a text.

    Attributes:
        amount: How much, in the unit that was asked for.
        unit: ``c`` for characters, ``b`` for bytes, ``t`` for tokens.
    """

    amount: int
    unit: str = "c"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``N``, ``Nc``, ``Nb`` or ``Nt``, with N from 1 to `MOST`.

        Raises:
            ValueError: If *text* is none of these; it says what is wanted.
        """
        typed = text.strip().lower()
        digits = typed.rstrip("cbt")
        unit = UNITS.get(typed[len(digits) :])
        plain = digits.replace("_", "").replace(",", "")
        is_number = plain.isascii() and plain.isdigit() and len(plain) <= len(str(MOST))
        if unit is None or not is_number or not 1 <= int(plain) <= MOST:
            raise ValueError(f"{text[:40]!r} is not {WANTED}")
        return cls(int(plain), unit)

    def __str__(self) -> str:
        return f"{self.amount}{self.unit}"

    @property
    def room(self) -> int:
        """How much `length` of a text may be at most."""
        return self.amount * TOKEN_CHARS if self.unit == "t" else self.amount

    def length(self, text: str) -> int:
        """Return how much of `room` *text* takes. Lengths of parts add up."""
        if self.unit == "c" or text.isascii():
            return len(text)
        if self.unit == "t":
            return quarters(text)
        return len(text.encode("utf-8", "surrogatepass"))

    def spent(self, text: str) -> int:
        """Return how much of `amount` *text* takes; tokens are rounded up."""
        length = self.length(text)
        return -(-length // TOKEN_CHARS) if self.unit == "t" else length

    def fits(self, text: str) -> bool:
        """Tell whether all of *text* is within it."""
        return self.length(text) <= self.room
