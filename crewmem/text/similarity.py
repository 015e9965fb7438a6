"""How similar texts are by their words: the one similarity of crewmem without vectors.

`find_similar_pairs` is an exact join: it finds each pair that comparing all with all would find,
without comparing all with all.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import ceil

from crewmem.text.tokens import stems

SAME_STATEMENT = 0.6
"""Jaccard index from which two statements of notes or of a session say the same."""

PARTNERS = 50
"""Most similar sets that a set is paired with. Where thousands say the same but for a number there
are millions of pairs, and nobody needs them all."""

LONG = 200
"""Tokens from which on a set is looked up by single tokens, two of which must be shared: the pairs
of its tokens would be too many."""

ROUNDING = 1e-9
"""How far a product may lie above the whole number that it is."""

SLOTS = 1 << 22
"""Counters of how many sets have a pair of tokens; a collision costs time, never a result."""


@lru_cache(maxsize=4_096)
def token_set(text: str) -> frozenset[str]:
    """Return the stems of *text*, as the full text index would hold them.

    >>> sorted(token_set("Deploys, deployed: the deploy"))
    ['deploi', 'the']
    """
    return frozenset(stems(text))


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """Return the share of the tokens of both that both have, in [0, 1]; 0 for empty sets.

    >>> jaccard({"deploy", "friday"}, {"deploy", "monday"})
    0.3333333333333333
    """
    first, second = frozenset(a), frozenset(b)
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def rarest_tokens(tokens: Collection[str], counts: dict[str, int], threshold: float) -> list[str]:
    """Return those of *tokens* of which every similar set has at least one, the rarest.

    A set of n tokens is similar to another only when they share ``threshold * n``; so one of any
    ``n - ceil(threshold * n) + 1`` of its tokens is in both.

    Args:
        counts: How many texts have each token; absent is 0.
    """
    ordered = sorted(set(tokens), key=lambda token: (counts.get(token, 0), token))
    return ordered[: prefix_length(len(ordered), threshold)]


def prefix_length(size: int, threshold: float) -> int:
    """Return of how many tokens of a set of *size* every similar set has at least one."""
    return size - ceil(threshold * size - ROUNDING) + 1


def find_similar_pairs(
    token_sets: Sequence[Collection[str]], threshold: float, *, partners: int = PARTNERS
) -> Iterator[tuple[int, int, float]]:
    """Find the pairs of sets whose Jaccard index is at least *threshold*.

    Two similar sets share two of their rarest tokens, or are tiny (prefix filtering: Bayardo, Ma
    and Srikant 2007; by two tokens at once: Wang, Li and Feng 2012). One rare token of a text
    leads to many strangers, two lead to hardly any: 100,000 short texts take a tenth of the time.

    Args:
        partners: A set is paired with at most so many smaller (or equally large) ones. The result
            is complete as long as no set has more.

    Yields:
        (i, j, Jaccard index) with i < j, in no useful order. Empty sets are similar to nothing.
    """
    sets, first_shared = _number_tokens(token_sets)
    order = sorted((at for at in range(len(sets)) if sets[at]), key=lambda at: len(sets[at]))
    index = _PairIndex(sets, first_shared, threshold, order)
    as_sets: dict[int, frozenset[int]] = {}
    for at in order:
        own = frozenset(sets[at])
        count = 0
        for other in index.take(at):
            theirs = as_sets.get(other)
            if theirs is None:
                theirs = frozenset(sets[other])
                if len(as_sets) < 10_000:
                    as_sets[other] = theirs
            shared = len(own & theirs)
            similarity = shared / (len(own) + len(theirs) - shared)
            if similarity >= threshold:
                yield min(at, other), max(at, other), similarity
                count += 1
                if count == partners:
                    break


def _number_tokens(token_sets: Sequence[Collection[str]]) -> tuple[list[array[int]], int]:
    """Return the sets as sorted arrays of numbers, the rarest token lowest.

    And the lowest number of a token that several sets have.
    """
    counts: dict[str, int] = {}
    for tokens in token_sets:
        for token in frozenset(tokens):
            counts[token] = counts.get(token, 0) + 1
    ordered = sorted(counts, key=lambda token: (counts[token], token))
    number = {token: at for at, token in enumerate(ordered)}
    first_shared = sum(count == 1 for count in counts.values())
    return [
        array("I", sorted(number[token] for token in frozenset(tokens))) for tokens in token_sets
    ], first_shared


class _PairIndex:
    """Sets by pairs of their rarest tokens, filled in the order of their size."""

    def __init__(
        self, sets: Sequence[array[int]], first_shared: int, threshold: float, order: Sequence[int]
    ) -> None:
        self._sets, self._first, self._threshold = sets, first_shared, threshold
        self._base = max((tokens[-1] for tokens in sets if tokens), default=0) + 1
        self._by_pair: dict[int, int | list[int]] = {}
        self._by_token: dict[int, list[int]] = {}  # of sets so small that one token is enough
        self._counted: dict[int, list[int]] = {}  # of sets that a long one may be similar to
        self._near_long = ceil(threshold * LONG - ROUNDING)
        self._seen = self._count_pairs(order)

    def take(self, at: int) -> list[int]:
        """Return earlier sets that may be similar to the set at *at*, then add it."""
        tokens = self._sets[at]
        size, threshold = len(tokens), self._threshold
        rare = self._rare(tokens)
        single = tokens if ceil(threshold * size - ROUNDING) <= 1 else ()
        pairs = list(self._pairs(rare)) if size < LONG else []
        candidates: dict[int, None] = {}
        for pair in pairs:
            holders = self._by_pair.get(pair)
            if isinstance(holders, int):
                candidates[holders] = None
            elif holders is not None:
                candidates.update(dict.fromkeys(reversed(holders)))
        if size >= LONG:
            shared: dict[int, int] = {}
            for token in rare:
                for other in self._counted.get(token, ()):
                    shared[other] = shared.get(other, 0) + 1
            candidates.update(dict.fromkeys(at for at, count in shared.items() if count > 1))
        for token in single:
            candidates.update(dict.fromkeys(reversed(self._by_token.get(token, ()))))
        self._add(at, tokens, rare, single)
        return list(candidates)

    def _add(self, at: int, tokens: array[int], rare: Sequence[int], single: Iterable[int]) -> None:
        """Add a set. Those that come later are as large or larger, so fewer tokens do."""
        size = len(tokens)
        # What it shares at least with a set of its size or a larger one.
        overlap = ceil(2 * self._threshold / (1 + self._threshold) * size - ROUNDING)
        last = tokens[min(size, size - overlap + 2) - 1]
        kept = [token for token in rare if token <= last]
        if overlap <= 1 or single:
            for token in tokens:
                self._by_token.setdefault(token, []).append(at)
        if size < LONG:
            for pair in self._pairs(kept):
                holders = self._by_pair.get(pair)
                if holders is None:
                    self._by_pair[pair] = at
                elif isinstance(holders, int):
                    self._by_pair[pair] = [holders, at]
                else:
                    holders.append(at)
        if size >= self._near_long:
            for token in kept:
                self._counted.setdefault(token, []).append(at)

    def _rare(self, tokens: array[int]) -> list[int]:
        """Return the rarest tokens, of which every similar set has two."""
        size = len(tokens)
        count = size - ceil(self._threshold * size - ROUNDING) + 2
        return [token for token in tokens[:count] if token >= self._first]

    def _pairs(self, tokens: Sequence[int]) -> Iterator[int]:
        """Yield the pairs of *tokens* that two sets may have, each as a number."""
        base, seen = self._base, self._seen
        for one, other in combinations(tokens, 2):
            pair = one * base + other
            if seen[pair % SLOTS] > 1:
                yield pair

    def _count_pairs(self, order: Iterable[int]) -> bytearray:
        """Count the sets that have each pair: most pairs are in one set, and need no place."""
        seen, base = bytearray(SLOTS), self._base
        for at in order:
            tokens = self._sets[at]
            if len(tokens) < LONG:
                for one, other in combinations(self._rare(tokens), 2):
                    slot = (one * base + other) % SLOTS
                    if seen[slot] < 2:
                        seen[slot] += 1
        return seen
