"""Where in a text the phrases of a question stand, and its best passage. Pure.

In a long message what answers is a paragraph; the rest only makes it long.
"""

from __future__ import annotations

from math import ceil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.retrieval.terms import Term

    Places = tuple[tuple[int, ...], ...]
    """For each phrase of a question, where in a text it begins, counted in stems."""

PASSAGE = 100
"""Words of a passage (as measured on long chat messages; two halves overlap)."""

LONGER = 1.2
"""Times a passage from which a text has several: one of a few words says nothing."""


def places(stems: Sequence[str], terms: Sequence[Term]) -> Places:
    """Return where in *stems* each of *terms* stands; a term that only excludes, never.

    That is what FTS5 counts for the phrases of an expression.
    """
    at: dict[str, list[int]] = {}
    for place, stem in enumerate(stems):
        at.setdefault(stem, []).append(place)
    return tuple(_places(stems, at, term) if term.weight else () for term in terms)


def passages(found: Places, words: int) -> list[list[float]]:
    """Return how often each phrase stands in each passage of *words* words."""
    step = PASSAGE // 2
    count = ceil((words - PASSAGE) / step) + 1 if words > LONGER * PASSAGE else 1
    often = [[0.0] * len(found) for _ in range(count)]
    for phrase, starts in enumerate(found):
        for start in starts:
            last = min(start // step, count - 1)
            first = min(max(0, (start - PASSAGE) // step + 1), last)
            for passage in range(first, last + 1):
                often[passage][phrase] += 1.0
    return often


def _places(
    stems: Sequence[str], at: dict[str, list[int]], term: Term
) -> tuple[int, ...]:
    row, last = term.stems[:-1], term.stems[-1]
    begins = at.get(term.stems[0], ()) if row or not term.prefix else range(len(stems))
    return tuple(
        start
        for start in begins
        if tuple(stems[start : start + len(row)]) == row
        and start + len(row) < len(stems)
        and _is_last(stems[start + len(row)], last, prefix=term.prefix)
    )


def _is_last(stem: str, asked: str, *, prefix: bool) -> bool:
    return stem.startswith(asked) if prefix else stem == asked
