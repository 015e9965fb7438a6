"""Groups of sets that are alike, each to each. Pure."""

from __future__ import annotations

from itertools import chain, combinations, islice
from math import ceil

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    Pair = tuple[int, int]

MATES = 50
"""Sets that one is paired with, of those of its size or smaller: where thousands say
the same but for a number there are millions of pairs, and no group needs them all."""

ROUNDING = 1e-9
"""By which a product may be above a whole number that it is."""


LARGE = 200
"""Elements from which on a set is not known by each two of its rarest, which would be
millions of a long text, but by each one: two in common are counted."""


def pairs(
    sets: Sequence[Collection[str]], least: float, marks: Sequence[str] = ()
) -> dict[Pair, float]:
    """Return the similarity of each two of *sets* that share *least* of all they hold.

    Exact, up to `MATES`, and without comparing each with each: two sets that are that
    much alike have two of their rarest elements in common, or are tiny (prefix
    filtering: Bayardo, Ma and Srikant 2007; by two elements at once: Wang, Li and Feng
    2012). Text has so many common words that one rare element leads to many strangers,
    and two lead to hardly any.

    Args:
        sets: The sets.
        least: From which on they are alike, over 0.
        marks: Of each set; "" of most. Those with a mark are met however many others
            there are: `MATES` of each mark are, by each set that has none.
    """
    numbered, first = _numbered(sets)
    join = _Join(numbered, first, least, marks or [""] * len(sets))
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


class _Keys(NamedTuple):
    """By which elements a set is looked for.

    Attributes:
        by_one: Each is enough: of tiny sets.
        by_two: Two of them have to be in common.
        is_large: Whether they are too many to take each two of them.
    """

    by_one: Sequence[int]
    by_two: Sequence[int]
    is_large: bool


class _Index:
    """Sets by their elements: which of them may be like another."""

    def __init__(self, base: int) -> None:
        """Keep none yet; each element is below *base*."""
        self._base = base
        # A place alone where there is but one: most are, and lists are heavy.
        self._by_one: dict[int, int | list[int]] = {}
        self._by_two: dict[int, int | list[int]] = {}
        self._counted: dict[int, int | list[int]] = {}

    def put(self, at: int, keys: _Keys, *, is_near_large: bool) -> None:
        """Keep the set at *at*; one that *is_near_large* may be like a large one."""
        for each in keys.by_one:
            _add(self._by_one, each, at)
        if not keys.is_large:
            for each in self._twos(keys.by_two):
                _add(self._by_two, each, at)
        if is_near_large:
            for each in keys.by_two:
                _add(self._counted, each, at)

    def met(self, keys: _Keys) -> Iterator[int]:
        """Yield the places of those that may be alike, each once."""
        tried: set[int] = set()
        for other in chain(self._with_two(keys), _along(self._by_one, keys.by_one)):
            if other not in tried:
                tried.add(other)
                yield other

    def _with_two(self, keys: _Keys) -> Iterable[int]:
        if not keys.is_large:
            return _along(self._by_two, self._twos(keys.by_two))
        counts: dict[int, int] = {}
        for other in _along(self._counted, keys.by_two):
            counts[other] = counts.get(other, 0) + 1
        return [other for other, count in counts.items() if count > 1]

    def _twos(self, elements: Sequence[int]) -> Iterator[int]:
        base = self._base
        return (one * base + other for one, other in combinations(elements, 2))


class _Join:
    """Sets that were taken, smallest first, and the way to those that are alike."""

    def __init__(
        self,
        sets: Sequence[frozenset[int]],
        first: int,
        least: float,
        marks: Sequence[str],
    ) -> None:
        self._sets, self._first, self._least = sets, first, least
        self._marks = marks
        base = max((max(each, default=0) for each in sets), default=0) + 1
        self._marked, self._plain = _Index(base), _Index(base)
        self._mates: dict[tuple[int, str], int] = {}
        # The smallest that one of the large may be like.
        self._near_large = ceil(least * LARGE - ROUNDING)

    def taken(self, at: int) -> list[tuple[int, float]]:
        """Take the set at *at*; return those before that it is like, and how much."""
        ordered = sorted(self._sets[at])
        size = len(ordered)
        # What it shares with a smaller one, and with a larger one, at least.
        smaller = ceil(self._least * size - ROUNDING)
        larger = ceil(2 * self._least / (1 + self._least) * size - ROUNDING)
        shared = [each for each in ordered[: size - smaller + 2] if each >= self._first]
        asked = _Keys(ordered if smaller <= 1 else (), shared, size >= LARGE)
        like, unlike = self._plain, self._marked
        if self._marks[at]:
            like, unlike = unlike, like
        found = [*islice(self._alike(at, like.met(asked)), MATES)]
        found += self._apart(at, unlike.met(asked))
        last = ordered[min(size, size - larger + 2) - 1] if ordered else 0
        few = [each for each in shared if each <= last]
        kept = _Keys(ordered if larger <= 1 else (), few, size >= LARGE)
        like.put(at, kept, is_near_large=size >= self._near_large)
        return found

    def _apart(self, at: int, others: Iterable[int]) -> Iterator[tuple[int, float]]:
        """Yield what `_alike` does of *others*, where one of each two has a mark.

        The one that has none has so many mates of that mark, whichever came first.
        """
        mark, mates = self._marks[at], self._mates
        for other in others:
            key = (other, mark) if mark else (at, self._marks[other])
            if mates.get(key, 0) < MATES:
                for found in self._alike(at, (other,)):
                    mates[key] = mates.get(key, 0) + 1
                    yield found

    def _alike(self, at: int, others: Iterable[int]) -> Iterator[tuple[int, float]]:
        """Yield which of *others* the set at *at* is like, and how much."""
        own = self._sets[at]
        for other in others:
            theirs = self._sets[other]
            both = len(own & theirs)
            similarity = both / (len(own) + len(theirs) - both)
            if similarity >= self._least:
                yield other, similarity


def _along(places: dict[int, int | list[int]], keys: Iterable[int]) -> Iterator[int]:
    """Yield the places that *keys* lead to; of each key the latest first."""
    for key in keys:
        found = places.get(key)
        if isinstance(found, int):
            yield found
        elif found is not None:
            yield from reversed(found)


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
