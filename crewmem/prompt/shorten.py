"""A text that has no room as it is, cut at a word so that it has. Pure."""

from __future__ import annotations

from crewmem.retrieval.snippet import snippet
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.threats.rule import Scan

SHORTEST = 24
"""Characters of what was shortened: fewer tell nothing."""


def shortened(text: str, fits: Callable[[str], bool], scan: Scan) -> str:
    """Return as much of *text* as *fits*; "" if that is of no use.

    A part of what fits has to fit, too. A part that is poison is of no use either,
    where the whole quoted it, or denied it.
    """
    best, least, most = "", SHORTEST, len(text) - 1
    while least <= most:
        width = (least + most) // 2
        part = snippet(text, (), width=width)
        if fits(part):
            best, least = part, width + 1
        else:
            most = width - 1
    return "" if best and gravest(scan(best)) else best
