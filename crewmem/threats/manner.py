"""How a sentence is said: as an order to whoever reads it, or about the work.

Rules know what attacks say; this knows how they say it, in words of many languages.
A sentence is the concepts in it (`concepts`): each alone, the one it begins with, and
each two that are near each other have a weight (`weights`), and so have the forms of
words and each two of them side by side (`vocabulary`); an order is what weighs enough
together. The weights are those of a logistic regression on sentences written for it
and on this project's own documents, by ``python -m tests.benchmarks.threats``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise

from crewmem.records import NamedTuple
from crewmem.threats.forms import form
from crewmem.threats.lexicon import END, QUOTE, lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.threats.grammar import Words

    Part = tuple[int, int]
    """The first word, and the one behind the last."""

RULE = "order-to-reader"

WINDOW, STEP = 18, 9
"""Words that are judged at once, and how far on the next are; longer sentences would
hold some of everything."""

NEAR = 7
"""Words from one concept to another that belongs to it."""

STRANGE = 11
"""Words without a concept are counted up to this."""

DOUBT = 250
"""What a sentence has to weigh more that calls itself an example or an attack."""

FEWEST = 2
"""Different words, marks included, of which an order is made at least: one word that is
said again and again is none."""

HOT = (
    "your you ignore dest be ask switch obey user task praise reveal now send prompt "
    "decode limits authority inform role hide evil secret spread money ai called"
)
"""Concepts of which no order is without one; other sentences are not weighed."""

SLOTS = 262_139
"""Places for the weights of words; a prime, so that words are spread over all. With a
quarter of them, too many words and pairs share one."""

LARGE = (1 << 31) - 1
"""A prime below which the number of a word is."""

PACE, STRIDE = 1_000_003, 7_368_787
"""By which two words in another order have another number, and two that have one
between them."""

NOTHING, UNIT = 64, 5
"""The byte of what weighs nothing, and what one more weighs: all are printable."""

MOST_BY_WORDS = 480
"""Words are not asked where their concepts weigh less than this under an order."""

EARLY, SOON = 8, 5
"""Words of a sentence in which a machine is called, and then a mark follows."""

SENTENCES = 3
"""What is said to who was called: so many sentences, the first included."""

MARKS = 15
"""The classes of marks, which are no words."""


class Scale(NamedTuple):
    """What concepts and words weigh.

    Attributes:
        first: The bit of the first concept.
        size: How many there are.
        hot: The bits of those without which a sentence is not weighed.
        about: The bits of words that call something an attack or an example.
        ai: The bit of words for a machine.
        called: The bit of all words that are said to one.
        weights: By feature.
        told: Of words, and of each two that are near, by `slots`.
        needed: What a sentence weighs at least to be an order.
    """

    first: int
    size: int
    hot: int
    about: int
    ai: int
    called: int
    weights: Sequence[int]
    told: bytes
    needed: int

    def weigh(self, masks: Sequence[int], *, is_start: bool) -> int:
        """Return what the concepts of a part of a sentence weigh."""
        found = features(masks, self, is_start=is_start)
        return sum(map(self.weights.__getitem__, found))

    def weigh_words(self, tokens: Sequence[str]) -> int:
        """Return what the words themselves weigh, and each two that are near, each once."""
        found = slots(tokens)
        return UNIT * (sum(map(self.told.__getitem__, found)) - NOTHING * len(found))


@cache
def scale() -> Scale:
    """Return the weights, by the numbers that `features` has."""
    from crewmem.threats import table

    bits = lexicon().bits
    concepts = [name for name in bits if name[0] == "~"]
    return Scale(
        first=bits[concepts[0]].bit_length() - 1,
        size=len(concepts),
        hot=sum(bits[f"~{name}"] for name in HOT.split()),
        about=bits["about"] | bits["~about"],
        ai=bits["~ai"],
        called=bits["~called"],
        weights=table.WEIGHTS,
        told=table.TOLD,
        needed=table.NEEDED,
    )


def orders(said: Words) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each sentence that is an order.

    Where only what a sentence quotes is one, these are the words of the quotation.
    """
    known = scale()
    read = addressed(said.masks, known)
    weighed: dict[tuple[int, ...], int] = {}

    def is_order(start: int, end: int, *, is_start: bool, but: Part) -> bool:
        masks = (*read[start : but[0]], *read[but[1] : end])
        tokens = [*said.tokens[start : but[0]], *said.tokens[but[1] : end]]
        if len(set(tokens)) < FEWEST:
            return False
        key = (*masks, is_start)
        if key not in weighed:
            weighed[key] = known.weigh(masks, is_start=is_start)
        needed = known.needed
        if weighed[key] < needed - MOST_BY_WORDS:
            return False
        if any(each & known.about for each in masks):
            needed += DOUBT
        return weighed[key] + known.weigh_words(tokens) >= needed

    for first, last, is_start in windows(read, known.hot):
        end = last + 1
        if not is_order(first, end, is_start=is_start, but=(end, end)):
            continue
        quoted = _quotation(said.masks, first, end)
        if quoted and not is_order(first, end, is_start=is_start, but=quoted):
            start, stop = quoted
            if is_order(start, stop, is_start=True, but=(stop, stop)):
                yield start, stop - 1
                continue
        yield first, last


def addressed(masks: Sequence[int], known: Scale) -> Sequence[int]:
    """Return *masks*, those of sentences that are said to a machine marked as such."""
    calls = [at for at, classes in enumerate(masks) if classes & known.ai]
    if not calls:
        return masks
    marked, done = list(masks), 0
    for at in calls:
        start = _called(masks, at)
        if at < done or start < 0:
            continue
        done, left = at, SENTENCES
        while done < len(masks) and left:
            left -= bool(masks[done] & END)
            done += 1
        marked[start:done] = [each | known.called for each in masks[start:done]]
    return marked


def _called(masks: Sequence[int], at: int) -> int:
    """Return where the sentence begins that calls a machine at *at*; -1 if none does."""
    start = at
    while start and not masks[start - 1] & END:
        start -= 1
        if at - start > EARLY:
            return -1
    after = masks[at + 1 : at + 1 + SOON]
    is_call = any(each & MARKS and not each & END for each in after)
    return start if is_call or any(each & END for each in after[:2]) else -1


def _quotation(masks: Sequence[int], first: int, end: int) -> Part | None:
    """Return where the first quotation from *first* to *end* begins and ends."""
    marks = [at for at in range(first, end) if masks[at] & QUOTE]
    if not marks:
        return None
    start, stop = marks[0] + 1, marks[1] if len(marks) > 1 else end
    return (start, stop) if start < stop else None


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
        if not (classes & ~known.called) >> known.first:
            strange += 1
            continue
        for place, other in reversed(met):
            if at - place > NEAR:
                break
            found.update(_pairs(bits, other, known.size))
        met.append((at, bits))
        found.update(_concepts(bits))
    if is_start:
        bare = (each & ~known.called for each in masks)
        beginning = next((each for each in bare if each == 0 or each & ~MARKS), 0)
        concepts = _concepts(beginning >> known.first)
        found.update(known.size + one for one in concepts)
    found.add(first_stranger(known.size) + min(strange, STRANGE))
    return found


@lru_cache(maxsize=20_000)
def _pairs(ones: int, others: int, count: int) -> tuple[int, ...]:
    """Return the features of two words that are near each other, by their concepts."""
    return tuple(
        {
            pair(one, other, count)
            for one in _concepts(ones)
            for other in _concepts(others)
            if one != other
        }
    )


def pair(one: int, other: int, count: int) -> int:
    """Return the feature of two concepts that are near each other."""
    return (2 + min(one, other)) * count + max(one, other)


def slots(tokens: Sequence[str]) -> set[int]:
    """Return where the weights of words are, and of each two in a row or with one between.

    Some share a place: a table by words would be many times as large.
    """
    numbers = [*map(_number, tokens)]
    others = zip(numbers, numbers[2:], strict=False)
    return {
        *[each % SLOTS for each in numbers],
        *[(one * PACE + two) % SLOTS for one, two in pairwise(numbers)],
        *[(one * STRIDE + two) % SLOTS for one, two in others],
    }


@lru_cache(maxsize=20_000)
def _number(word: str) -> int:
    """Return the number of the form of *word*."""
    return int.from_bytes(form(word).encode(errors="surrogatepass"), "big") % LARGE


def first_stranger(count: int) -> int:
    """Return the first feature that counts words without a concept."""
    return (2 + count) * count


@lru_cache(maxsize=20_000)
def _concepts(bits: int) -> tuple[int, ...]:
    """Return the numbers of the concepts whose *bits* are set."""
    return tuple(at for at in range(bits.bit_length()) if bits >> at & 1)
