"""Finding phrases in a text that was read as words.

A class is a number whose bits are the places where it stands; so a phrase is looked
for at all places of a part of the text at once, from its end: which places does the
last word fit, which those the last two, and so on. The cost is linear whatever the
text repeats, and nothing is compiled.
"""

from __future__ import annotations

from functools import cache

from crewmem.records import NamedTuple
from crewmem.threats.lexicon import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ONE, MAYBE, NONE, GAP, START = range(5)
"""Steps: a word of a class, one or none, none of it next, some words, an order."""

PART = 400
"""Words that are looked at at once; longer numbers cost more than they save."""


class Phrase(NamedTuple):
    """A rule of words, taken apart.

    Attributes:
        name: Of the rule.
        category: Of the rule.
        severity: Of the rule.
        steps: What its words are, as kind and classes or count.
        needed: The classes without which it cannot be.
        length: Words that it spans at most.
    """

    name: str
    category: str
    severity: str
    steps: tuple[tuple[int, int], ...]
    needed: tuple[int, ...]
    length: int


class Found(NamedTuple):
    """A phrase in a text: its first word and its last."""

    phrase: Phrase
    first: int
    last: int


@cache
def phrases() -> tuple[Phrase, ...]:
    """Return each rule of words, taken apart."""
    from crewmem.threats import table

    return tuple(map(Phrase._make, table.PHRASES))


def find(masks: list[int], wanted: tuple[Phrase, ...]) -> Iterator[Found]:
    """Yield the phrases of *wanted* in a text, by rule within each part of it."""
    if not wanted:
        return
    overlap = max(each.length for each in wanted)
    done: dict[str, int] = {}
    for start in range(0, len(masks), PART):
        part = masks[start : start + PART + overlap]
        present = 0
        for classes in set(part):
            present |= classes
        possible = [each for each in wanted if _is_possible(each, present)]
        if possible:
            sets = _Sets(part, masks[start - 1] if start else END)
            for each in possible:
                yield from _matches(each, sets, start, done)


def _is_possible(each: Phrase, present: int) -> bool:
    """Tell whether every word that a phrase must have is of a class in *present*."""
    for classes in each.needed:  # noqa: SIM110 - this takes a third of the time
        if not classes & present:
            return False
    return True


class _Sets:
    """The places of classes in a part of a text, as numbers.

    Attributes:
        size: How many words the part has.
        lead: The classes of the word before it.
    """

    def __init__(self, masks: list[int], lead: int) -> None:
        at: dict[int, int] = {}
        bit = 1
        for classes in masks:
            if classes:
                at[classes] = at.get(classes, 0) | bit
            bit <<= 1
        self.size, self.lead = len(masks), lead
        self.full = bit - 1
        self._at = at
        self._of: dict[int, int] = {}
        self.inner = self.full & ~self.of(END)

    def of(self, classes: int) -> int:
        """Return the places of words of any of *classes*."""
        places = self._of.get(classes)
        if places is None:
            places = 0
            for each, where in self._at.items():
                if each & classes:
                    places |= where
            self._of[classes] = places
        return places


def _matches(
    each: Phrase, sets: _Sets, start: int, done: dict[str, int]
) -> Iterator[Found]:
    ways = _ways(each.steps, sets)
    starts = ways[0] & ((1 << PART) - 1) if ways else 0
    name = each.name
    while starts:
        at = (starts & -starts).bit_length() - 1
        if start + at >= done.get(name, 0):
            end = _end(each.steps, ways, sets, at)
            done[name] = start + end
            yield Found(each, start + at, start + end - 1)
            starts &= ~((1 << end) - 1)
        else:
            starts &= starts - 1


def _ways(steps: tuple[tuple[int, int], ...], sets: _Sets) -> list[int]:
    """Return for each step the places from which it and those after it fit."""
    fits = (sets.full << 1) | 1
    ways = [fits]
    for kind, value in reversed(steps):
        if kind == ONE:
            fits = sets.of(value) & (fits >> 1)
        elif kind == GAP:
            more = fits
            for _ in range(value):
                more = sets.inner & (more >> 1)
                fits |= more
        elif kind == MAYBE:
            fits |= sets.of(value) & (fits >> 1)
        elif kind == NONE:
            fits &= ~sets.of(value)
        else:
            fits &= sets.of(value) << 1 | bool(sets.lead & value)
        if not fits:
            return []
        ways.append(fits)
    ways.reverse()
    return ways


def _end(
    steps: tuple[tuple[int, int], ...], ways: list[int], sets: _Sets, at: int
) -> int:
    """Return where the phrase that begins *at* ends: as early as it can."""
    for (kind, value), after in zip(steps, ways[1:], strict=True):
        if kind == ONE:
            at += 1
        elif kind == GAP:
            while not after >> at & 1:
                at += 1
        elif kind == MAYBE and sets.of(value) >> at & 1 and after >> at + 1 & 1:
            at += 1
    return at
