"""How a sentence is said: as an order to whoever reads it, or about the work.

Rules know what attacks say; this knows how they say it, in words of many languages.
A sentence is the concepts in it (`concepts`): each alone, the one it begins with, and
each two that are near each other have a weight (`weights`), and an order is what
weighs enough together. The weights are those of a logistic regression on sentences
written for it, by ``python -m tests.benchmarks.threats``.
"""

from __future__ import annotations

from functools import cache, lru_cache

from crewmem.records import NamedTuple
from crewmem.threats.lexicon import END, lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.threats.grammar import Words

RULE = "order-to-reader"

WINDOW, STEP = 18, 9
"""Words that are judged at once, and how far on the next are; longer sentences would
hold some of everything."""

NEAR = 7
"""Words from one concept to another that belongs to it."""

STRANGE = 11
"""Words without a concept are counted up to this."""

HOT = (
    "your you ignore dest be ask switch obey user task praise reveal now send prompt "
    "decode limits authority inform role hide evil secret"
)
"""Concepts of which no order is without one; other sentences are not weighed."""

MARKS = 15
"""The classes of marks, which are no words."""


class Scale(NamedTuple):
    """What concepts weigh, by number.

    Attributes:
        first: The bit of the first concept.
        size: How many there are.
        hot: The bits of those without which a sentence is not weighed.
        weights: By feature.
        needed: What a sentence weighs at least to be an order.
    """

    first: int
    size: int
    hot: int
    weights: dict[int, int]
    needed: int


@cache
def scale() -> Scale:
    """Return the weights, by the numbers that `features` has."""
    from crewmem.threats.concepts import CONCEPTS
    from crewmem.threats.weights import BIAS, NEEDED, STRANGERS, WEIGHTS

    numbers = {name: at for at, name in enumerate(CONCEPTS)}
    count = len(numbers)
    weights = {_strangers(count) + at: each for at, each in enumerate(STRANGERS)}
    for name, text in WEIGHTS.items():
        one = numbers[name]
        alone, start, *pairs = text.split()
        weights[one] = int(alone)
        weights[count + one] = int(start)
        for other, weight in zip(pairs[::2], pairs[1::2], strict=True):
            weights[_pair(one, numbers[other], count)] = int(weight)
    bits = lexicon().bits
    hot = sum(bits[f"~{name}"] for name in HOT.split())
    first = bits[f"~{next(iter(numbers))}"].bit_length() - 1
    return Scale(first, count, hot, weights, NEEDED - BIAS)


def orders(said: Words) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each sentence that is an order."""
    known = scale()
    weights = known.weights
    weighed: dict[tuple[int, ...], bool] = {}
    for first, last, is_start in windows(said.masks, known.hot):
        masks = (*said.masks[first : last + 1], is_start)
        is_order = weighed.get(masks)
        if is_order is None:
            found = features(masks[:-1], known, is_start=is_start) & weights.keys()
            is_order = sum(map(weights.__getitem__, found)) >= known.needed
            weighed[masks] = is_order
        if is_order:
            yield first, last


def windows(masks: Sequence[int], hot: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of sentences with a class of *hot*: first word, last, is start."""
    done = 0
    for at in [at for at, classes in enumerate(masks) if classes & hot]:
        if at < done:
            continue
        start = at
        while start > done and not masks[start - 1] & END:
            start -= 1
        end = at
        while end < len(masks) and not masks[end] & END:
            end += 1
        done = end
        if end - start <= WINDOW:
            yield start, end - 1, True
            continue
        for begin in range(start, end - STEP, STEP):
            part = masks[begin : begin + WINDOW]
            if any(classes & hot for classes in part):
                yield begin, min(begin + WINDOW, end) - 1, begin == start


def features(masks: Sequence[int], known: Scale, *, is_start: bool) -> set[int]:
    """Return what a part of a sentence has, as numbers."""
    found: set[int] = set()
    met: list[tuple[int, int]] = []
    strange = 0
    for at, classes in enumerate(masks):
        bits = classes >> known.first
        if not bits:
            strange += 1
            continue
        for place, other in reversed(met):
            if at - place > NEAR:
                break
            found.update(_pairs(bits, other, known.size))
        met.append((at, bits))
        found.update(_concepts(bits))
    if is_start:
        beginning = next((each for each in masks if each == 0 or each & ~MARKS), 0)
        concepts = _concepts(beginning >> known.first)
        found.update(known.size + one for one in concepts)
    found.add(_strangers(known.size) + min(strange, STRANGE))
    return found


@lru_cache(maxsize=20_000)
def _pairs(ones: int, others: int, count: int) -> tuple[int, ...]:
    """Return the features of two words that are near each other, by their concepts."""
    return tuple(
        {
            _pair(one, other, count)
            for one in _concepts(ones)
            for other in _concepts(others)
            if one != other
        }
    )


def _pair(one: int, other: int, count: int) -> int:
    return (2 + min(one, other)) * count + max(one, other)


def _strangers(count: int) -> int:
    """Return the first feature that counts words without a concept."""
    return (2 + count) * count


@lru_cache(maxsize=20_000)
def _concepts(bits: int) -> tuple[int, ...]:
    """Return the numbers of the concepts whose *bits* are set."""
    return tuple(at for at in range(bits.bit_length()) if bits >> at & 1)
