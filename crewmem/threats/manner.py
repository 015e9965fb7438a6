"""How a sentence is said: as an order to whoever reads it, or about the work.

Rules know what attacks say; this knows how they say it, in words of many languages.
A sentence is the concepts in it (`concepts`): each alone, the one it begins with, and
each two that are near each other have a weight (`weights`), and so have words that
tell more than their concepts (`vocabulary`); an order is what weighs enough together.
The weights are those of a logistic regression on sentences
written for it, by ``python -m tests.benchmarks.threats``.
"""

from __future__ import annotations

from functools import cache, lru_cache

from crewmem.records import NamedTuple
from crewmem.threats.lexicon import END, QUOTE, lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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

AGENT = (
    "ignore orders prompt system reveal secret hide dest tool files delete ai evil limits "
    "authority decode called safety harm spread role obey money"
)
"""Concepts of what an agent is told: rules, tools, files, secrets, whom to obey."""

TALK = 200
"""What a sentence without any of these has to weigh more: "you" and "now" are said
among friends, too."""

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
        agent: The bits of what an agent is told.
        about: The bits of words that call something an attack or an example.
        ai: The bit of words for a machine.
        called: The bit of all words that are said to one.
        weights: By feature.
        vocabulary: By word.
        needed: What a sentence weighs at least to be an order.
    """

    first: int
    size: int
    hot: int
    agent: int
    about: int
    ai: int
    called: int
    weights: dict[int, int]
    vocabulary: dict[str, int]
    needed: int

    def weigh(self, masks: Sequence[int], *, is_start: bool) -> int:
        """Return what the concepts of a part of a sentence weigh."""
        found = features(masks, self, is_start=is_start) & self.weights.keys()
        return sum(map(self.weights.__getitem__, found))

    def weigh_words(self, tokens: Iterable[str]) -> int:
        """Return what the words themselves weigh, each once."""
        known = self.vocabulary.keys() & tokens
        return sum(map(self.vocabulary.__getitem__, known))


@cache
def scale() -> Scale:
    """Return the weights, by the numbers that `features` has."""
    from crewmem.threats.concepts import CONCEPTS
    from crewmem.threats.vocabulary import VOCABULARY
    from crewmem.threats.weights import BIAS, NEEDED, STRANGERS, WEIGHTS

    numbers = {name: at for at, name in enumerate(CONCEPTS)}
    count = len(numbers)
    weights = {_strangers(count) + at: each for at, each in enumerate(STRANGERS)}
    for one, name in enumerate(numbers):
        weights[one], weights[count + one], *pairs = map(int, WEIGHTS[name].split())
        first = _pair(one, one, count)
        weights.update(zip(range(first + 1, first + count - one), pairs, strict=True))
    bits = lexicon().bits
    hot, agent = (
        sum(bits[f"~{name}"] for name in names.split()) for names in (HOT, AGENT)
    )
    first = bits[f"~{next(iter(numbers))}"].bit_length() - 1
    told = VOCABULARY.split()
    vocabulary = dict(zip(told[::2], map(int, told[1::2]), strict=True))
    about = bits["about"] | bits["~about"]
    needed = NEEDED - BIAS
    return Scale(
        first,
        count,
        hot,
        agent,
        about,
        bits["~ai"],
        bits["~called"],
        weights,
        vocabulary,
        needed,
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
        tokens = {*said.tokens[start : but[0]], *said.tokens[but[1] : end]}
        if len(tokens) < FEWEST:
            return False
        key = (*masks, is_start)
        if key not in weighed:
            weighed[key] = known.weigh(masks, is_start=is_start)
        more = weighed[key] + known.weigh_words(tokens) - known.needed
        if more < 0:
            return False
        doubt = DOUBT if any(each & known.about for each in masks) else 0
        if not any(each & known.agent for each in masks):
            doubt += TALK
        return more >= doubt

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
