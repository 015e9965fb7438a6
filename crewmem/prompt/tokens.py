"""How many tokens a text may be for a model, without asking one. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.prompt.budget import Budget

TOKEN_CHARS = 4
"""Characters that are taken for a token: what English text has."""

DENSE = (
    range(0x3040, 0x3100),  # kana
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7B0),  # Hangul
    range(0xF900, 0xFB00),
    range(0xFF66, 0xFFDD),  # half as wide
    range(0x20000, 0x32000),
)
"""Characters of Chinese, Japanese and Korean, each of which is taken for a token."""

ESTIMATOR = "a token for 4 characters, and for each of Chinese, Japanese and Korean"


def tokens(text: str) -> int:
    """Estimate how many tokens *text* is, rounded up."""
    dense = 0
    if not text.isascii():
        dense = sum(any(ord(each) in some for some in DENSE) for each in text)
    return dense - (dense - len(text)) // TOKEN_CHARS


class Within(NamedTuple):
    """A budget that holds for tokens however they are estimated: here and by bytes."""

    budget: Budget

    def fits(self, text: str) -> bool:
        """Tell whether all of *text* is within it."""
        if not self.budget.fits(text):
            return False
        return self.budget.unit != "t" or tokens(text) <= self.budget.amount
