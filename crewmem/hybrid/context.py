"""What short entries say together with those around them. Pure.

A remark of a dozen words rarely holds all that a question asks for: the question before
it holds the rest. An entry of two hundred words is its own context, and what stands
beside it only blurs it. So the share of neighbours falls with length, smoothly.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.hybrid.features import Entry

BEFORE = (0.8, 0.4)
"""Weights of the words of the entries before, nearest first: what is said answers."""

AFTER = (0.4, 0.2)
"""Weights of those after it.

Development half of LoCoMo, R@10 and nDCG@10: .818 and .654 without neighbours, .830 and
.680 with one on either side, .843 and .690 with two, the same with three.
"""

REACH = len(BEFORE)

HALF_WORDS = 80
"""Words at which an entry leans on its neighbours half as much as a short one.

60 and 150 are within .009 on LoCoMo. Put into sessions at random, abstracts of a
hundred words and more (Cranfield) lost .03 of R@10 to their neighbours without this,
and .005 with it.
"""

STEEPNESS = 4
"""At 40 words .94 of the context is left, at 160 words .06."""

WORTH = 0.25
"""Share of context from which a neighbour of what was found is looked at as well."""


@lru_cache(4096)
def shortness(words: float) -> float:
    """Return how much an entry of *words* words leans on its context: from 1 to 0."""
    return 1.0 / (1.0 + (words / HALF_WORDS) ** STEEPNESS)


def window(
    entry: Entry, entries: Mapping[int, Entry], phrases: int
) -> tuple[list[float], float]:
    """Return how often each of *phrases* stands in and around *entry*, and its length.

    Both are weighed: a word of a neighbour is a part of a word.
    """
    often = list(entry.frequencies) or [0.0] * phrases
    length = float(entry.words)
    if not (entry.before or entry.after):
        return often, length
    own = shortness(entry.words)
    for weights, beside in ((BEFORE, entry.before), (AFTER, entry.after)):
        for most, seq in zip(weights, beside, strict=False):
            if (near := entries.get(seq)) is None:
                continue
            weight = most * own * shortness(near.words)
            length += weight * near.words
            if near.frequencies:  # of most there are none
                for at, frequency in enumerate(near.frequencies):
                    often[at] += weight * frequency
    return often, length


def window_words(mean: float) -> float:
    """Return the length of a window around an entry of *mean* words among such."""
    return mean * (1.0 + sum(BEFORE + AFTER) * shortness(mean) ** 2)


def around(
    entry: Entry, cosines: Mapping[int, float], entries: Mapping[int, Entry]
) -> float:
    """Return the cosine of what stands next to *entry*; its own where nothing does."""
    own = cosines[entry.seq]
    total, whole = 0.0, BEFORE[0] + AFTER[0]
    for weights, beside in ((BEFORE, entry.before[:1]), (AFTER, entry.after[:1])):
        for seq in beside:
            near = entries.get(seq)
            if near and seq in cosines:
                share = weights[0] * shortness(entry.words) * shortness(near.words)
                total += share * (cosines[seq] - own)
    return own + total / whole


def offered(found: Iterable[int], entries: Mapping[int, Entry]) -> list[int]:
    """Return *found* with the next neighbours of short entries, in the journal's order.

    What answers a question may hold none of its words: "Yes, in Sweden!" Without this
    R@10 on LoCoMo is .836 for .843.
    """
    seqs = set(found)
    for seq in tuple(seqs):
        entry = entries[seq]
        for near in (*entry.before[:1], *entry.after[:1]):
            if near in entries:
                both = shortness(entry.words) * shortness(entries[near].words)
                if both > WORTH:
                    seqs.add(near)
    return sorted(seqs)
