"""What a store has to tell for its rows to be recalled. Pure."""

from __future__ import annotations

from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

Text = tuple[int, str, str, str, str, int]
"""What of a row its words are matched in, and what it stands beside, in a tuple.

Its place; its text; who did or said it, and in which session, "" if nobody knows; when
it happened, as stored; 1 if it asks. A plain tuple: six hundred are read for a
question.
"""

Sides = tuple[list[int], list[int]]
"""What stands before a row and after it, nearest first."""


class Words(Protocol):
    """The rows of a store that may be seen, and their words."""

    @property
    def owners(self) -> Collection[int] | None:
        """Whose vectors are looked at; None: all there are."""

    def totals(self) -> tuple[int, int]:
        """Return how many rows the full text has, of whatever owner, and stems."""

    def count(self) -> int:
        """Return how many rows may be seen; beyond `question.FEW`, any such number."""

    def holding(self, stems: Collection[str]) -> dict[str, int]:
        """Return how many rows hold each of *stems*, of whatever owner."""

    def matching(self, expression: str) -> int:
        """Return how many of the rows that may be seen match *expression*."""

    def among(self, keys: Collection[int]) -> set[int]:
        """Return those of *keys* that may be seen."""

    def best(self, expression: str, limit: int) -> list[int]:
        """Return up to *limit* rows that match *expression*, best first."""

    def texts(self, keys: Collection[int]) -> list[Text]:
        """Return the texts of *keys*; they are of rows that the caller may see."""

    def beside(self, keys: Collection[int], count: int) -> dict[int, Sides]:
        """Return up to *count* rows on each side of each of *keys* in its session."""


class Weights(Protocol):
    """How much rows weigh."""

    def importance(self, keys: Collection[int]) -> dict[int, float]:
        """Return the importance of *keys*, in [0, 1]."""
