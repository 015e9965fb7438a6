"""Size limits of texts for models, in tokens, characters or bytes."""

from typing import NamedTuple

from crewmem.errors import UsageError
from crewmem.text.tokens import estimate_tokens

UNITS = {"t": "tokens", "c": "characters", "b": "bytes"}

MAX_AMOUNT = 10_000_000
"""Largest allowed budget; no model reads more."""

MAX_DIGITS = 100
"""A longer number is not read."""

ESTIMATOR = "characters/4, CJK characters 1"
"""How tokens are estimated, for JSON output."""


class Budget(NamedTuple):
    """The maximum size of a text."""

    amount: int
    unit: str = "t"

    @staticmethod
    def parse(text: str | int) -> "Budget":
        """Parse ``2000t``, ``8000c`` or ``1800b``; a number without a unit is tokens.

        Raises:
            UsageError: If *text* is not a size.
        """
        text = str(text)
        number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "t")
        if not number.isdecimal() or len(number) > MAX_DIGITS:
            raise UsageError(
                f"'{text[:80]}' is not a size such as 2000t, 8000c or 1800b", code="bad-budget"
            )
        if not 0 < int(number) <= MAX_AMOUNT:
            raise UsageError(
                f"'{text}' is out of range: use 1 to {MAX_AMOUNT} {UNITS[unit]}", code="bad-budget"
            )
        return Budget(int(number), unit)

    def measure(self, text: str) -> int:
        """Return the size of *text* in this budget's unit."""
        if self.unit == "c":
            return len(text)
        return len(text.encode()) if self.unit == "b" else estimate_tokens(text)

    def fits(self, text: str) -> bool:
        """Return whether *text* is within the budget."""
        return self.measure(text) <= self.amount

    def cut(self, text: str) -> str:
        """Return *text*, cut at the end of a word if it does not fit; "" if no word fits."""
        if self.fits(text):
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(text[:middle] + "…"):
                low = middle
            else:
                high = middle - 1
        cut = text[:low]
        at_word = max(cut.rfind(" "), cut.rfind("\n"))
        if at_word > len(cut) * 0.6:
            cut = cut[:at_word]
        return cut.rstrip() + "…" if cut.strip() else ""
