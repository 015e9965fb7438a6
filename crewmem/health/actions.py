"""What would raise the health of memory most, and by how much. Pure."""

from __future__ import annotations

from crewmem.health.metric import Counts, Mend, composite, judge
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crewmem.health.metric import Judged, Metric

MOST = 3
"""Actions that are told: more are no advice."""

LEAST_POINTS = 0.05
"""What would be told as 0.0 is not told."""


class Gain(NamedTuple):
    """What a command would bring.

    Attributes:
        words: The command, after ``crewmem``.
        why: What it is for, a clause.
        points: By how much the score would be higher, at most.
        score: What it would be then.
        metrics: Which metrics would be higher.
    """

    words: tuple[str, ...]
    why: str
    points: float
    score: float
    metrics: tuple[str, ...]


def gains(
    metrics: Sequence[Metric],
    counts: Counts,
    exists: Callable[[Sequence[str]], bool],
    most: int = MOST,
) -> list[Gain]:
    """Return the *most* commands that would raise the score most, best first.

    Each is judged alone: the score is computed anew with what it mends mended, so that
    what it brings at most is told.

    Args:
        metrics: What the score is made of.
        counts: What they are computed from.
        exists: Tells whether there is such a command.
        most: How many to tell.
    """
    judged = judge(metrics, counts)
    now = composite(judged)
    if now is None:
        return []
    found = []
    for each in _together(_usable(metrics, counts, exists)):
        mended = judge(metrics, Counts(**{**counts._asdict(), **each.changes}))
        then = composite(mended)
        if then is not None and then - now >= LEAST_POINTS:
            raised = tuple(_raised(judged, mended))
            found.append(Gain(each.words, each.why, then - now, then, raised))
    return sorted(found, key=lambda each: (-each.points, each.words))[:most]


def _raised(before: Sequence[Judged], after: Sequence[Judged]) -> Iterator[str]:
    """Yield the names of the metrics that are higher *after* than *before*."""
    for one, other in zip(before, after, strict=True):
        if other.score is not None and other.score > (one.score or 0.0):
            yield one.name


def _usable(
    metrics: Sequence[Metric], counts: Counts, exists: Callable[[Sequence[str]], bool]
) -> Iterator[Mend]:
    """Yield what can be done; of commands that mend the same the first there is."""
    mended: list[object] = []
    for metric in metrics:
        for each in metric.mends(counts):
            if exists(each.words) and each.changes not in mended:
                mended.append(each.changes)
                yield each


def _together(mends: Iterable[Mend]) -> list[Mend]:
    """Make one of *mends* by the same command."""
    by_words: dict[tuple[str, ...], Mend] = {}
    for each in mends:
        first = by_words.get(each.words)
        by_words[each.words] = _one(first, each) if first else each
    return [*by_words.values()]


def _one(first: Mend, more: Mend) -> Mend:
    return Mend(
        first.words,
        f"{first.why}; {more.why}",
        {**first.changes, **more.changes},
    )
