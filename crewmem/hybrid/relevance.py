"""How likely the episodes of a store answer a question at all. Pure.

Names that are known were taken out of the words of a question; here they come back.
"""

from __future__ import annotations

from crewmem.hybrid.features import weight
from crewmem.retrieval.gate import relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def with_names(coverage: float, whole: float, known: int, entries: int) -> float:
    """Return *coverage* of a question whose words weigh *whole*, with its names.

    Names that are known were taken out of it, and unknown ones weigh as words that
    no entry holds. So a known one weighs as much, and is covered.
    """
    named = known * weight(0, entries)
    return (coverage * whole + named) / (whole + named) if whole + named else 0.0


def of_store(
    coverages: Iterable[float], nearnesses: Iterable[float] | None, *, has_words: bool
) -> float:
    """Return the relevance of the best that a store has; 0 for an empty one."""
    most = max(coverages, default=None)
    if most is None:
        return 0.0
    near = None if nearnesses is None else max(nearnesses, default=None)
    return relevance(most if has_words else None, near)
