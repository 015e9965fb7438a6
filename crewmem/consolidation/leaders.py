"""Groups of texts that say the same, in the order of days. Pure.

The first to say something leads a group; whoever says the same within 30 days of its
last member joins it. So reading day by day and reading all at once make the same
groups, no chain of likenesses joins strangers, and every member says what is written
down of the group.

Who may be like whom is found as `memories.clusters` does: two sets that are much alike
have two of their rarest elements in common. Here sets come in the order of days, so the
beginnings that are compared are those that hold for any size.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import chain, combinations
from math import ceil

from crewmem.consolidation.normal import OPPOSITE, SAME, compared
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from crewmem.consolidation.normal import Form

    Relate = Callable[[Form, Form], str]
    """Says how two texts relate that share most of their words."""

ALIKE = 0.6
"""Part of all words of both that two texts on one subject share."""

OPEN_DAYS = 30
"""Days after which what has not recurred is let go."""

LOOKED_AT = 200
"""Groups that one text is compared with, the latest: where thousands say the same but
for a number no text needs them all."""

TOLD = 5
"""Contradictions of a group that are kept: each is a place that a person looks at."""

CROWDED = 32
"""Groups that share two rare words, from which on those let go are left out."""

ROUNDING = 1e-9
"""By which a product may be above a whole number that it is."""


class Grouped(NamedTuple):
    """Which texts say the same.

    Attributes:
        groups: Places of texts, in order, of each group; the first leads.
        against: By the place of a group, groups that say the opposite.
    """

    groups: list[list[int]]
    against: dict[int, list[int]]


class _Group:
    """A group that texts may join."""

    __slots__ = ("form", "last", "number")

    def __init__(self, number: int, form: Form, last: int) -> None:
        self.number, self.form, self.last = number, form, last


def grouped(said: Sequence[tuple[int, Form]], relate: Relate = compared) -> Grouped:
    """Group texts, each given by its day's number and what it says, in their order.

    The order is the caller's, and that of days. *relate* compares two that are alike.
    """
    find = _Finder([form.subject for _, form in said])
    groups: list[list[int]] = []
    against: dict[int, list[int]] = {}
    exact: dict[tuple[object, ...], _Group] = {}
    is_met = find.met.__contains__
    for at, (day, form) in enumerate(said):
        if not is_met(form.subject):  # of most texts no other is like them
            groups.append([at])
            continue
        known = form[:4]
        group = exact.get(known)
        if (
            group is None
            or day - group.last > OPEN_DAYS
            or relate(group.form, form) != SAME
        ):
            group, denied = _joined(find, form, day, len(groups), relate)
            exact[known] = group
            if group.number == len(groups):
                groups.append([])
            for number in denied:
                _deny(against, group.number, number)
                _deny(against, number, group.number)
        group.last = max(group.last, day)
        groups[group.number].append(at)
    return Grouped(groups, against)


def _joined(
    find: _Finder, form: Form, day: int, number: int, relate: Relate
) -> tuple[_Group, list[int]]:
    """Return the group that *form* belongs to, and groups that say the opposite.

    That is the one most like it; of none that is, its own, which has the *number*.
    """
    best = (0.0, 0)
    found: _Group | None = None
    denied: list[int] = []
    for similarity, group in find.like(form.subject, day):
        relation = relate(group.form, form)
        if relation == SAME and (similarity, -group.number) > best:
            best, found = (similarity, -group.number), group
        elif relation == OPPOSITE:
            denied.append(group.number)
    if found is None:
        found = _Group(number, form, day)
        find.add(found)
    return found, denied


def _deny(against: dict[int, list[int]], one: int, other: int) -> None:
    told = against.setdefault(one, [])
    if len(told) < TOLD and other not in told:
        told.append(other)


class _Finder:
    """Finds the groups whose subjects are much like another.

    Attributes:
        met: Subjects that another text may be like.
    """

    def __init__(self, subjects: Sequence[frozenset[str]]) -> None:
        counted = Counter(subjects)
        self._ways = _ways(counted)
        self.met = {each for each, count in counted.items() if count > 1}
        self.met |= self._ways.keys()
        self._same: dict[frozenset[str], list[_Group]] = {}
        self._by_two: dict[int, list[_Group]] = {}

    def add(self, group: _Group) -> None:
        """Let *group* be found from now on."""
        subject = group.form.subject
        _keep(self._same.setdefault(subject, []), group)
        for way in self._ways.get(subject, ()):
            _keep(self._by_two.setdefault(way, []), group)

    def like(self, subject: frozenset[str], day: int) -> list[tuple[float, _Group]]:
        """Return the groups that are open on *day* and like *subject*, and how much."""
        same, ways = self._same.get(subject), self._ways.get(subject)
        found: list[tuple[float, _Group]] = []
        if same:
            found += [
                (1.0, each)
                for each in same[-LOOKED_AT:]
                if day - each.last <= OPEN_DAYS
            ]
        if ways is None:
            return found
        tried: set[int] = set()
        size, by_two = len(subject), self._by_two
        for way in ways:
            for group in by_two.get(way, ()):
                if group.number in tried:
                    continue
                if len(tried) >= LOOKED_AT:
                    return found
                tried.add(group.number)
                theirs = group.form.subject
                if theirs == subject or day - group.last > OPEN_DAYS:
                    continue
                both = len(subject & theirs)
                similarity = both / (size + len(theirs) - both)
                if similarity >= ALIKE:
                    found.append((similarity, group))
        return found


def _ways(subjects: Collection[frozenset[str]]) -> dict[frozenset[str], list[int]]:
    """Return the ways to each of *subjects*: any that is like it has one of them.

    Those that lead nowhere else are left out, and subjects that have no other.
    """
    holding = Counter(chain.from_iterable(subjects))
    order = sorted(sorted(holding), key=holding.__getitem__)
    # What no other holds is below 0: it counts, and makes no way.
    alone = sum(count == 1 for count in holding.values())
    base = len(order) - alone
    numbered = dict(zip(order, range(-alone, base), strict=True)).__getitem__
    every: list[tuple[frozenset[str], list[int]]] = []
    for subject in subjects:
        ordered = sorted(map(numbered, subject))
        size, first = len(ordered), bisect_left(ordered, 0)
        together = _shared(size)
        if size - first >= together:
            telling = ordered[first : size - together + 2]
            ways = [one * base + other for one, other in combinations(telling, 2)]
            every.append((subject, ways))
    return _met(every)


def _met(
    every: Sequence[tuple[frozenset[str], list[int]]],
) -> dict[frozenset[str], list[int]]:
    """Return the ways that lead to more than one subject, of those that have some."""
    seen: set[int] = set()
    again: set[int] = set()
    for _, ways in every:
        if not seen.isdisjoint(ways):
            again.update(seen.intersection(ways))
        seen.update(ways)
    return {
        subject: [each for each in ways if each in again]
        for subject, ways in every
        if not again.isdisjoint(ways)
    }


@cache
def _shared(size: int) -> int:
    """Return how many words a text of so many shares with one that is like it."""
    return ceil(ALIKE * size - ROUNDING)


def _keep(held: list[_Group], group: _Group) -> None:
    """Add *group* to those *held*; of many, those that were let go make room."""
    if len(held) >= CROWDED and len(held) % CROWDED == 0:
        day = group.last
        held[:] = [each for each in held if day - each.last <= OPEN_DAYS]
    held.append(group)
