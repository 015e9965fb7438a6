"""What came of recalls: which hits were relevant, and which repeat a better one."""

from __future__ import annotations

import json
from collections import Counter

from crewmem.health.metric import Recalled, Repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Container,
        Iterable,
        Mapping,
        Sequence,
    )

    from crewmem.health.counts_store import Asked
    from crewmem.retrieval.vectors import Floats

    Vectors = Mapping[str, Floats]
    """Of what was found, by its id: those of its pieces, ``(pieces, dim)``."""

    Row = tuple[list[str], list[float | None]]

GATE = 0.70
"""What the best of an answer has to reach, as in retrieval/gate.py; a test compares.

It is the published one, not the one that is set: who lowers the gate lets more in that
is of no use, and that should be seen.
"""

BESIDE = 0.25
"""The part of it that the others have to reach, as in recall/recall.py, likewise."""

SAME = 0.92
"""Cosine from which on one text repeats another; as was published."""

MEMORY = "m_"
"""What ids of memories begin with."""


def rows(asked: Iterable[Asked]) -> list[Row]:
    """Read what was kept of recalls: ids, and of each how likely it answers.

    Raises:
        ValueError: If one is not what is kept of a recall.
    """
    found = []
    for each in asked:
        ids, relevances = json.loads(each.ids), json.loads(each.relevances)
        if not (_is_list(ids, _is_text) and _is_list(relevances, _is_likely)):
            raise ValueError("it is no list of what was found")
        if len(ids) != len(relevances):
            raise ValueError("its lists differ in length")
        found.append((ids, relevances))
    return found


def _is_list(value: object, of: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(of, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_likely(value: object) -> bool:
    return value is None or (isinstance(value, float | int) and 0 <= value <= 1)


def ids_of(found: Iterable[Row]) -> set[str]:
    """Return what was found along with something else: it may repeat that."""
    return {each for ids, _ in found if len(ids) > 1 for each in ids}


def recalled(
    found: Collection[Row], vectors: Vectors, there: Container[str] = ()
) -> Recalled:
    """Judge what was *found*; what has no vector repeats nothing.

    Of memories that are *there* it is told which repeats which most often.
    """
    hits = ungated = relevant = distinct = repeated = 0
    pairs: Counter[tuple[str, str]] = Counter()
    for ids, relevances in found:
        known = [
            (name, one)
            for name, one in zip(ids, relevances, strict=True)
            if one is not None
        ]
        hits += len(known)
        if max((one for _, one in known), default=GATE) < GATE:
            ungated += len(known)
            continue
        again = repeats(ids, vectors)
        passed = [name for name, one in known if one >= BESIDE * GATE]
        relevant += len(passed)
        distinct += sum(name not in again for name in passed)
        memories = [e for e in passed if e in again and e.startswith(MEMORY)]
        repeated += len(memories)
        of = ((each, again[each]) for each in memories)
        pairs.update(two for two in of if two[0] in there and two[1] in there)
    worst = _worst(pairs)
    return Recalled(len(found), hits, ungated, relevant, distinct, repeated, worst)


def _worst(pairs: Mapping[tuple[str, str], int]) -> Repeat | None:
    """Return what repeats another most often; of several always the same."""
    found = [Repeat(*names, count) for names, count in pairs.items()]
    return min(found, key=lambda each: (-each.times, each), default=None)


def repeats(ids: Sequence[str], vectors: Vectors) -> dict[str, str]:
    """Return those of *ids*, best first, that say nearly what a better one says.

    Each with the best that it repeats. Two are as near as the nearest of their pieces.
    """
    known = [each for each in ids if each in vectors]
    if not known[1:]:
        return {}
    from crewmem.retrieval.numerics import np

    pieces = [vectors[each] for each in known]
    of = np.repeat(np.arange(len(known)), [len(each) for each in pieces])
    every = np.concatenate(pieces)
    near = every @ every.T >= SAME
    first, second = (of[each] for each in np.nonzero(near))
    is_better = first < second
    found: dict[str, str] = {}
    for better, worse in zip(  # the best come first
        first[is_better].tolist(), second[is_better].tolist(), strict=True
    ):
        found.setdefault(known[worse], known[better])
    return found
