"""Groups of sets that are alike, each to each. Pure."""

from __future__ import annotations

from itertools import combinations
from math import ceil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Pair = tuple[int, int]

MATES = 50
"""Sets that one is paired with, of those of its size or smaller: where thousands say
the same but for a number there are millions of pairs, and no group needs them all."""

ROUNDING = 1e-9
"""By which a product may be above a whole number that it is."""


def pairs(sets: Sequence[Collection[str]], least: float) -> dict[Pair, float]:
    """Return the similarity of each two of *sets* that share *least* of all they hold.

    Exact, up to `MATES`, and without comparing each with each: two sets that are that
    much alike have two of their rarest elements in common, or are tiny (prefix
    filtering: Bayardo, Ma and Srikant 2007; by two elements at once: Wang, Li and Feng
    2012). Text has so many common words that one rare element leads to many strangers,
    and two lead to hardly any.

    Args:
        sets: The sets.
        least: From which on they are alike, over 0.
    """
    numbered, first = _numbered(sets)
    join = _Join(numbered, first, least)
    order = sorted(range(len(numbered)), key=lambda at: len(numbered[at]))
    return {
        (min(at, other), max(at, other)): similarity
        for at in order
        for other, similarity in join.taken(at)
    }


def _numbered(sets: Sequence[Collection[str]]) -> tuple[list[frozenset[int]], int]:
    """Return *sets* with numbers for elements, the rarest lowest.

    And the first number of those elements that several hold.
    """
    unlike = [frozenset(each) for each in sets]
    holding: dict[str, int] = {}
    for each in unlike:
        for element in each:
            holding[element] = holding.get(element, 0) + 1
    order = sorted(holding, key=lambda element: (holding[element], element))
    number = {element: at for at, element in enumerate(order)}
    first = sum(count == 1 for count in holding.values())
    return [frozenset([number[element] for element in each]) for each in unlike], first


class _Join:
    """Sets that were taken, smallest first, and the way to those that are alike."""

    def __init__(
        self, sets: Sequence[frozenset[int]], first: int, least: float
    ) -> None:
        self._sets, self._first, self._least = sets, first, least
        self._base = max((max(each, default=0) for each in sets), default=0) + 1
        # A place alone where there is but one: most are, and lists are heavy.
        self._by_two: dict[int, int | list[int]] = {}
        self._by_one: dict[int, int | list[int]] = {}

    def taken(self, at: int) -> list[tuple[int, float]]:
        """Take the set at *at*; return those before that it is like, and how much."""
        ordered = sorted(self._sets[at])
        size = len(ordered)
        # What it shares with a smaller one, and with a larger one, at least.
        smaller = ceil(self._least * size - ROUNDING)
        larger = ceil(2 * self._least / (1 + self._least) * size - ROUNDING)
        shared = [each for each in ordered[: size - smaller + 2] if each >= self._first]
        keys = self._keys(shared)
        ways = [found for each in keys if (found := self._by_two.get(each)) is not None]
        if smaller <= 1:
            ways += [self._by_one[each] for each in ordered if each in self._by_one]
        mates = self._mates(at, ways)
        last = ordered[min(size, size - larger + 2) - 1] if ordered else 0
        for each in self._keys([each for each in shared if each <= last]):
            _add(self._by_two, each, at)
        if larger <= 1:
            for each in ordered:
                _add(self._by_one, each, at)
        return mates

    def _keys(self, elements: Sequence[int]) -> list[int]:
        base = self._base
        return [one * base + other for one, other in combinations(elements, 2)]

    def _mates(
        self, at: int, ways: Sequence[int | list[int]]
    ) -> list[tuple[int, float]]:
        """Return which of those that *ways* lead to it is like; the latest first."""
        own = self._sets[at]
        tried: set[int] = set()
        found: list[tuple[int, float]] = []
        for way in ways:
            for other in (way,) if isinstance(way, int) else reversed(way):
                if other in tried:
                    continue
                tried.add(other)
                theirs = self._sets[other]
                both = len(own & theirs)
                similarity = both / (len(own) + len(theirs) - both)
                if similarity >= self._least:
                    found.append((other, similarity))
                    if len(found) == MATES:
                        return found
        return found


def _add(places: dict[int, int | list[int]], key: int, at: int) -> None:
    before = places.get(key)
    if before is None:
        places[key] = at
    elif isinstance(before, int):
        places[key] = [before, at]
    else:
        before.append(at)


def clusters(sets: Sequence[Collection[str]], least: float) -> list[list[int]]:
    """Return groups of *sets*, by place, in which all are alike, in their order.

    Complete linkage: two groups become one only if each of the one is like each of
    the other, so that one word in common does not chain strangers together. The most
    alike come first.
    """
    alike = pairs(sets, least)
    group = {at: {at} for at in range(len(sets))}
    for (one, other), _ in sorted(alike.items(), key=lambda pair: (-pair[1], pair[0])):
        first, second = group[one], group[other]
        if first is second:
            continue
        if all((min(a, b), max(a, b)) in alike for a in first for b in second):
            first |= second
            for at in second:
                group[at] = first
    unique = {id(each): sorted(each) for each in group.values()}
    return sorted(unique.values())
